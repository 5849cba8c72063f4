"""The sandbox of a run: the program goes on with what it saves, and nothing of it lasts."""

import os
import sys
from pathlib import Path

import pytest
from sandboxed import START, Run, run_sandboxed

LINUX = sys.platform.startswith("linux")
NO_KERNEL = START.replace(
    "sandbox.install(context)",
    "sandbox.landlock.restrict = lambda *_, **__: 'switched off by the test'\nsandbox.install(context)",
)


def passes(tmp_path: Path, program: str, **options: object) -> Run:
    """Run a program that asserts by itself."""
    run = run_sandboxed(tmp_path, program, **options)  # type: ignore[arg-type]
    assert run.status == 0, run.errors
    return run


def has_landlock(run: Run) -> bool:
    return bool(next(message["landlock"] for message in run.messages if message["kind"] == "sandbox"))


@pytest.mark.parametrize("start", [START, NO_KERNEL], ids=["kernel", "python-alone"])
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            """
            import os
            os.makedirs("out/deep", exist_ok=True)
            with open("out/deep/model.txt", "w") as file:
                file.write("weights")
            assert open("out/deep/model.txt").read() == "weights"
            assert os.path.isdir("out") and os.path.exists("out/deep/model.txt")
            assert os.path.getsize("out/deep/model.txt") == 7
            assert os.listdir("out") == ["deep"] and "out" in os.listdir(".") and "data" in os.listdir(".")
            assert sorted(name for _, names, files in os.walk("out") for name in names + files) == ["deep", "model.txt"]
            with open("out/deep/model.txt", "a") as file:
                file.write("!")
            assert open("out/deep/model.txt", "rb").read() == b"weights!"
            """,
            id="save-and-read",
        ),
        pytest.param(
            """
            with open(__file__, "w") as file:
                file.write("pass")
            assert open(__file__).read() == "pass"
            """,
            id="writes-itself",
        ),
        pytest.param(
            """
            with open("data/rows.csv", "a") as file:
                file.write("3,4\\n")
            with open("data/rows.csv", "r+") as file:
                assert file.read() == "a,b\\n1,2\\n3,4\\n"
                file.seek(0)
                file.write("x")
            assert open("data/rows.csv").read() == "x,b\\n1,2\\n3,4\\n"
            assert open("link/rows.csv").read() == "x,b\\n1,2\\n3,4\\n"
            """,
            id="changes-a-data-file",
        ),
        pytest.param(
            """
            import os, shutil
            here = os.path.dirname(os.path.abspath(__file__))
            shutil.rmtree(here + "/data")
            assert not os.path.exists("data") and not os.path.exists("data/rows.csv") and "data" not in os.listdir(".")
            assert not os.path.exists("link/rows.csv")
            try:
                open("data/rows.csv")
            except FileNotFoundError as error:
                assert error.filename == "data/rows.csv", error.filename
            else:
                raise AssertionError
            os.mkdir("data")
            assert os.listdir("data") == []
            open("data/new.csv", "w").close()
            assert os.listdir("data") == ["new.csv"]
            """,
            id="removes-the-data",
        ),
        pytest.param(
            """
            import os
            with open("new.csv", "w") as file:
                file.write("new")
            os.replace("new.csv", "data/rows.csv")
            assert open("data/rows.csv").read() == "new" and not os.path.exists("new.csv")
            os.rename("data/rows.csv", "data/other.csv")
            assert sorted(os.listdir("data")) == ["deep", "other.csv"]
            os.rename("data", "moved")
            assert sorted(os.listdir("moved")) == ["deep", "other.csv"] and not os.path.exists("data")
            assert open("moved/deep/more.txt").read() == "more"
            """,
            id="renames-over-data",
        ),
        pytest.param(
            """
            import os
            open("link/new.txt", "w").write("1")
            assert open("data/new.txt").read() == "1" and sorted(os.listdir("data")) == sorted(os.listdir("link"))
            open("rows-link.csv", "w").write("2")
            assert open("data/rows.csv").read() == "2" and os.path.islink("rows-link.csv")
            os.symlink("data", "second")
            assert open("second/new.txt").read() == "1" and os.readlink("second") == "data" and os.path.islink("second")
            os.symlink(os.path.abspath("data/rows.csv"), "third")
            open("third", "w").write("3")
            assert open("data/rows.csv").read() == "3"
            import tempfile
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(os.path.abspath("data"), os.path.join(folder, "data"))
                open(os.path.join(folder, "data", "rows.csv"), "w").write("5")
                assert open("data/rows.csv").read() == "5"
                os.symlink(os.path.abspath("data/deep/more.txt"), os.path.join(folder, "more"))
                open(os.path.join(folder, "more"), "a").write("6")
                assert open("data/deep/more.txt").read() == "more6"
                os.remove(os.path.join(folder, "more"))
            import shutil
            shutil.copytree(".", "../copy", symlinks=True)
            assert os.readlink("../copy/link") == "data" and os.path.exists("../copy/link/rows.csv")
            os.unlink("link")
            assert not os.path.lexists("link") and os.path.exists("data/new.txt")
            os.link("data/rows.csv", "hard")
            open("hard", "w").write("4")
            assert os.path.realpath("second/new.txt") == os.path.abspath("data/new.txt")
            """,
            id="links",
            marks=pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows"),
        ),
        pytest.param(
            """
            import os
            project = os.getcwd()
            os.chdir("data")
            open("here.txt", "w").write("1")
            open("../there.txt", "w").write("2")
            os.chdir("deep")
            assert open("../here.txt").read() == "1" and open(os.path.join(project, "there.txt")).read() == "2"
            os.chdir(project)
            os.makedirs("fresh/inner")
            os.chdir("fresh/inner")
            assert os.getcwd() == os.path.join(project, "fresh", "inner") == os.path.abspath(".")
            open("x.txt", "w").write("3")
            assert os.listdir() == ["x.txt"] == os.listdir(".")
            os.chdir("../..")
            assert os.getcwd() == project and open("fresh/inner/x.txt").read() == "3"
            """,
            id="chdir",
        ),
        pytest.param(
            """
            import pathlib
            path = pathlib.Path("out") / "a" / "note.txt"
            path.parent.mkdir(parents=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("note")
            assert path.read_text() == "note" and path.exists() and path.is_file() and path.stat().st_size == 4
            assert [str(one.name) for one in pathlib.Path("out").rglob("*.txt")] == ["note.txt"]
            assert {one.name for one in pathlib.Path(".").iterdir()} >= {"out", "data", "train.py"}
            path.rename(path.with_name("other.txt"))
            assert [one.name for one in path.parent.iterdir()] == ["other.txt"]
            path.touch()
            pathlib.Path("data/rows.csv").touch()
            pathlib.Path("data/rows.csv").chmod(0o600)
            pathlib.Path("data/rows.csv").unlink()
            assert not pathlib.Path("data/rows.csv").exists()
            assert path.resolve() == pathlib.Path.cwd() / "out" / "a" / "note.txt"
            with path.open("wb") as file:
                file.write(b"bytes")
            assert path.read_bytes() == b"bytes"
            """,
            id="pathlib",
        ),
        pytest.param(
            """
            import os, shutil, tempfile, zipfile, tarfile, gzip, json, pickle, csv, logging, glob, configparser, shelve
            shutil.copytree("data", "copy")
            assert sorted(os.listdir("copy")) == ["deep", "rows.csv"]
            shutil.copy("data/rows.csv", "data/deep")
            shutil.copy2("data/rows.csv", "copy/rows2.csv")
            shutil.move("copy", "elsewhere")
            assert sorted(os.listdir("elsewhere")) == ["deep", "rows.csv", "rows2.csv"] and not os.path.exists("copy")
            shutil.move("data/rows.csv", "elsewhere/deep")
            assert not os.path.exists("data/rows.csv")
            with zipfile.ZipFile("a.zip", "w") as archive:
                archive.write("elsewhere/rows.csv")
                archive.writestr("b.txt", "b")
            zipfile.ZipFile("a.zip").extractall("unzipped")
            assert open("unzipped/elsewhere/rows.csv").read() == "a,b\\n1,2\\n"
            with tarfile.open("a.tar.gz", "w:gz") as archive:
                archive.add("elsewhere")
            tarfile.open("a.tar.gz").extractall("untarred")
            assert os.path.exists("untarred/elsewhere/deep/more.txt")
            assert shutil.make_archive("packed", "zip", "elsewhere").endswith("packed.zip")
            with gzip.open("a.gz", "wt") as file:
                file.write("x")
            assert gzip.open("a.gz", "rt").read() == "x"
            json.dump({}, open("a.json", "w"))
            pickle.dump({}, open("a.pkl", "wb"))
            logging.basicConfig(filename="run.log", level=logging.INFO)
            logging.info("hello")
            assert "hello" in open("run.log").read()
            with tempfile.NamedTemporaryFile("w", dir=".", delete=False) as file:
                file.write("t")
            assert open(file.name).read() == "t"
            with tempfile.TemporaryDirectory(dir="data") as folder:
                open(os.path.join(folder, "x"), "w").close()
                assert os.listdir(folder) == ["x"]
            assert not os.path.exists(folder)
            with tempfile.TemporaryFile() as file:
                file.write(b"1")
            with tempfile.TemporaryFile(dir=".") as file:
                file.write(b"1")
            with tempfile.TemporaryDirectory() as folder:
                open(os.path.join(folder, "x"), "w").close()
            assert sorted(glob.glob("*.json") + glob.glob("untarred/**/*.txt", recursive=True)) == [
                "a.json", os.path.join("untarred", "elsewhere", "deep", "more.txt")]
            with shelve.open("shelf") as shelf:
                shelf["a"] = 1
            with shelve.open("shelf") as shelf:
                assert shelf["a"] == 1
            """,
            id="standard-library",
        ),
        pytest.param(
            """
            import sqlite3
            base = sqlite3.connect("runs.db")
            base.execute("create table runs (a)")
            base.execute("insert into runs values (1)")
            base.commit()
            base.close()
            base = sqlite3.connect("file:runs.db?mode=ro", uri=True)
            assert base.execute("select a from runs").fetchall() == [(1,)]
            """,
            id="sqlite",
        ),
        pytest.param(
            """
            import os, threading, multiprocessing
            def write(name):
                with open(name, "w") as file:
                    file.write("x" * 1000)
                if os.path.exists("data/rows.csv"):
                    os.remove("data/rows.csv")
            if __name__ == "__main__":
                threads = [threading.Thread(target=write, args=("t%d.txt" % number,)) for number in range(8)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
                assert len([name for name in os.listdir(".") if name.startswith("t") and name.endswith(".txt")]) == 8
                for method in multiprocessing.get_all_start_methods():
                    context = multiprocessing.get_context(method)
                    child = context.Process(target=write, args=(method + ".txt",))
                    child.start()
                    child.join()
                    assert child.exitcode == 0, (method, child.exitcode)
                    assert os.path.getsize(method + ".txt") == 1000
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    pool.map(write, ["p1.txt", "p2.txt"])
                assert os.path.exists("p2.txt") and not os.path.exists("data/rows.csv")
            """,
            id="threads-and-processes",
        ),
        pytest.param(
            """
            import os
            if hasattr(os, "fork"):
                open("first.txt", "w").close()
                here = os.path.abspath("data/deep")
                assert not os.path.exists(here + "/child.txt")
                child = os.fork()
                if not child:
                    open("child.txt", "w").write("c")
                    open("data/deep/child.txt", "w").write("c")
                    os.rename("data", "gone")
                    os._exit(0)
                os.waitpid(child, 0)
                assert not os.path.exists(here + "/child.txt")
                assert os.path.exists(os.path.abspath("gone/deep/child.txt"))
                assert open("child.txt").read() == "c"
                assert not os.path.exists("data") and os.path.exists("gone/rows.csv")
            """,
            id="fork",
        ),
        pytest.param(
            """
            import subprocess, sys
            code = "open('sub.txt', 'w').write('s'); import os; os.remove('data/rows.csv'); print(os.listdir('.'))"
            done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, universal_newlines=True)
            assert done.returncode == 0, done
            assert "sub.txt" in done.stdout
            assert open("sub.txt").read() == "s"
            """,
            id="python-in-a-subprocess",
        ),
        pytest.param(
            """
            import os
            folder = os.open("data", os.O_RDONLY)
            with os.fdopen(os.open("by-fd.txt", os.O_WRONLY | os.O_CREAT, dir_fd=folder), "w") as file:
                file.write("f")
            assert open("data/by-fd.txt").read() == "f"
            assert sorted(os.listdir(folder)) == ["by-fd.txt", "deep", "rows.csv"]
            os.unlink("rows.csv", dir_fd=folder)
            os.mkdir("made", dir_fd=folder)
            assert os.stat("made", dir_fd=folder) and sorted(os.listdir("data")) == ["by-fd.txt", "deep", "made"]
            names = {name for _, names, files, _ in os.fwalk("data") for name in names + files}
            assert names == {"by-fd.txt", "deep", "made", "more.txt"}, names
            """,
            id="folder-descriptors",
            marks=pytest.mark.skipif(os.name == "nt", reason="not on Windows"),
        ),
        pytest.param(
            """
            import os
            for flags, name in ((os.O_WRONLY | os.O_TRUNC, "data/rows.csv"), (os.O_RDWR, "data/deep/more.txt")):
                descriptor = os.open(name, flags)
                os.write(descriptor, b"zz")
                os.close(descriptor)
            assert open("data/rows.csv").read() == "zz" and open("data/deep/more.txt").read() == "zzre"
            os.truncate("data/deep/more.txt", 1)
            assert open("data/deep/more.txt").read() == "z"
            for call in (
                lambda: os.open("data/rows.csv", os.O_CREAT | os.O_EXCL | os.O_WRONLY),
                lambda: open("data/rows.csv", "x"),
                lambda: os.mkdir("data"),
            ):
                try:
                    call()
                except FileExistsError:
                    continue
                raise AssertionError
            for call, error in (
                (lambda: open("nowhere/x", "w"), FileNotFoundError),
                (lambda: os.rmdir("data"), OSError),
                (lambda: open("data", "w"), (IsADirectoryError, PermissionError)),
                (lambda: os.remove("nothing"), FileNotFoundError),
                (lambda: os.open("nothing", os.O_WRONLY), FileNotFoundError),
                (lambda: open("nothing", "r+"), FileNotFoundError),
                (lambda: os.stat("nothing"), FileNotFoundError),
                (lambda: os.scandir("nothing"), FileNotFoundError),
                (lambda: os.listdir("data/rows.csv"), NotADirectoryError),
                (lambda: open("data/rows.csv/x", "w"), (NotADirectoryError, FileNotFoundError)),
            ):
                try:
                    call()
                except error:
                    continue
                raise AssertionError(error)
            """,
            id="flags-and-errors",
        ),
        pytest.param(
            """
            import os, sys
            sys.stdout = open("stdout.txt", "w")
            print("kept")
            sys.stdout.close()
            sys.stdout = sys.__stdout__
            assert open("stdout.txt").read() == "kept\\n"
            os.closerange(3, 200)
            open("after.txt", "w").write("1")
            assert open("after.txt").read() == "1"
            with open(os.devnull, "w") as file:
                file.write("nothing")
            os._exit(0)
            """,
            id="redirects-closes-exits",
        ),
        pytest.param(
            """
            import os
            assert os.path.expanduser("~") != os.getcwd()
            folder = os.path.join(os.path.expanduser("~"), ".cache", "models")
            os.makedirs(folder)
            open(os.path.join(folder, "m.bin"), "wb").write(b"1")
            assert os.listdir(folder) == ["m.bin"]
            """,
            id="caches",
        ),
        pytest.param(
            """
            import os, subprocess
            assert os.system("mkdir -p out/deep") == 0 and os.path.isdir("out/deep")
            subprocess.run(["mkdir", "-p", "second"], check=True)
            subprocess.check_call("cp -r data second/", shell=True)
            assert os.path.exists("second/data/rows.csv")
            assert os.system("rm -rf data") == 0 and not os.path.exists("data")
            assert subprocess.call(["rm", "nothing"]) == 1
            assert os.system("mv second/data/*.csv out") == 0 and os.path.exists("out/rows.csv")
            assert os.system("touch out/touched") == 0 and os.path.exists("out/touched")
            assert os.system("mkdir -p third && echo made") == 0 and os.path.isdir("third")
            subprocess.run("mkdir fourth; mkdir -p fifth/deep && touch fifth/x", shell=True, check=True)
            assert os.path.isdir("fourth") and os.path.exists("fifth/x")
            assert os.system("rmdir nothing && mkdir sixth") != 0 and not os.path.exists("sixth")
            assert subprocess.run(["pip", "install", "wandb"]).returncode == 0
            assert subprocess.run(["ls"], cwd="out", stdout=subprocess.PIPE).stdout == b"deep\\nrows.csv\\ntouched\\n"
            """,
            id="commands",
            marks=pytest.mark.skipif(os.name == "nt", reason="commands of POSIX"),
        ),
        pytest.param(
            """
            import importlib, os, sys
            with open("written.py", "w") as file:
                file.write("VALUE = 1")
            import written
            assert written.VALUE == 1 and written.__name__ == "written"
            os.makedirs("package/inner")
            for name in ("package/__init__.py", "package/inner/__init__.py"):
                open(name, "w").close()
            with open("package/inner/deep.py", "w") as file:
                file.write("VALUE = 2")
            importlib.invalidate_caches()
            from package.inner import deep
            assert deep.VALUE == 2
            try:
                import nothing_of_this_name
            except ImportError:
                pass
            """,
            id="written-modules",
        ),
        pytest.param(
            """
            import os
            class Holder:
                opener, remover, exists = open, os.remove, os.path.exists
            holder = Holder()
            holder.opener("held.txt", "w").close()
            holder.remover("held.txt")
            import pickle, copy
            assert pickle.loads(pickle.dumps(os.remove)) is os.remove and pickle.loads(pickle.dumps(open)) is open
            assert open.__name__ == "open" and callable(os.stat) and open in vars(__import__("builtins")).values()
            """,
            id="functions-as-attributes",
        ),
    ],
)
def test_program_goes_on_and_nothing_lasts(tmp_path: Path, program: str, start: str) -> None:
    passes(tmp_path, program, start=start)


@pytest.mark.parametrize("start", [START, NO_KERNEL], ids=["kernel", "python-alone"])
@pytest.mark.parametrize(
    "attempt",
    [
        "import _io; _io.FileIO('data/rows.csv', 'w')",
        "import _io; _io.FileIO('new.txt', 'w')",
        "import posix; posix.open('new.txt', posix.O_CREAT | posix.O_WRONLY)",
        "import posix; posix.unlink('data/rows.csv')",
        "import posix; posix.rename('data/rows.csv', 'data/x.csv')",
        "import posix; posix.chmod('data/rows.csv', 0)",
        "import posix; posix.utime('data/rows.csv', (0, 0))",
        "import posix; posix.open('/proc/self/cwd/new.txt', posix.O_CREAT | posix.O_WRONLY)",
        "import posix; posix.open('/dev/../' + __import__('os').getcwd() + '/new.txt', posix.O_CREAT | posix.O_WRONLY)",
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="there is no module posix")
def test_what_goes_past_the_overlay_is_refused(tmp_path: Path, attempt: str, start: str) -> None:
    program = f"try:\n    {attempt}\nexcept OSError as error:\n    print(error)\nelse:\n    print('done')\n"
    run = passes(tmp_path, program, start=start)
    assert "done" not in run.output
    assert "Permission denied" in run.output or "tflint-hf confirm" in run.output


@pytest.mark.skipif(not LINUX, reason="only Linux has Landlock")
def test_kernel_refuses_native_code_and_other_programs(tmp_path: Path) -> None:
    run = passes(
        tmp_path,
        """
        import ctypes, os, subprocess
        libc = ctypes.CDLL(None)
        libc.fopen.restype = ctypes.c_void_p
        print(libc.fopen(b"native.txt", b"w"))
        print(os.system("/bin/rm -rf data; true") == 0, os.system("echo x > shell.txt 2>/dev/null") != 0)
        print(subprocess.run("cp data/rows.csv copied.csv && true", shell=True).returncode != 0)
        print(subprocess.run(["dd", "if=/dev/zero", "of=data/rows.csv", "count=1"]).returncode != 0)
        """,
    )
    if not has_landlock(run):
        pytest.skip("this kernel has no Landlock")
    assert run.lines == ["None", "True True", "True", "True"]


def test_other_programs_are_not_started_without_the_kernel(tmp_path: Path) -> None:
    run = passes(
        tmp_path,
        """
        import os, subprocess
        for call in (
            lambda: os.system("shred data; ls"),
            lambda: subprocess.run("shred data; ls", shell=True),
            lambda: subprocess.run(["dd", "if=/dev/zero", "of=data/rows.csv", "count=1"]),
            lambda: subprocess.check_output(["git", "checkout", "."]),
        ):
            try:
                print(call() != 0)
            except PermissionError as error:
                print("tflint-hf confirm" in str(error))
        """,
        start=NO_KERNEL,
    )
    assert run.lines == ["True"] * 4


def test_hard_end_leaves_nothing_half_written(tmp_path: Path) -> None:
    run = run_sandboxed(
        tmp_path,
        """
        import os, signal
        file = open("data/rows.csv", "w")
        file.write("half")
        os.rename("data/deep", "data/gone")
        os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        """,
    )
    assert run.status != 0


def test_program_does_not_run_where_it_cannot_be_shut_in(tmp_path: Path) -> None:
    start = START.replace("sandbox.install(context)", "sandbox.files.install = None\nsandbox.install(context)")
    run = run_sandboxed(tmp_path, "print('it runs')", start=start)
    assert run.status == 1
    assert run.output == ""
    assert "cannot be shut in" in run.errors
    assert any(message.get("failed") for message in run.messages)


def test_refusals_are_known_from_faults_of_the_program(tmp_path: Path) -> None:
    run = passes(
        tmp_path,
        """
        import _io, os, socket, sys
        from _tflint_hf_agent.sandbox import is_refusal
        for call in (
            lambda: _io.FileIO("new.txt", "w"),
            lambda: socket.create_connection(("huggingface.co", 443)),
            lambda: open("nothing.txt"),
            lambda: {}["key"],
        ):
            try:
                call()
            except Exception as error:
                print(is_refusal(error))
        """,
    )
    assert run.lines == ["True", "True", "False", "False"]


def test_saves_are_told_once(tmp_path: Path) -> None:
    run = passes(
        tmp_path,
        """
        import os
        for number in range(5):
            with open("model.bin", "w") as file:
                file.write("x")
        os.makedirs(os.path.expanduser("~/.cache/x"))
        open(os.path.expanduser("~/.cache/x/y"), "w").close()
        """,
    )
    [path] = run.kept("file")
    assert path == str(tmp_path / "home" / "project" / "model.bin")
    [message] = [message for message in run.messages if message["kind"] == "kept_back"]
    assert message["at"][0]["line"] == 4


def test_other_machines_are_not_reached(tmp_path: Path) -> None:
    run = passes(
        tmp_path,
        """
        import http.client, socket, threading, urllib.request
        server = socket.create_server(("127.0.0.1", 0))
        for host in ("huggingface.co", "192.0.2.1"):
            for call in (
                lambda: socket.create_connection((host, 443), timeout=5),
                lambda: urllib.request.urlopen("http://" + host, timeout=5),
                lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)),
            ):
                try:
                    call()
                except OSError as error:
                    print("tflint-hf confirm" in str(error))
        """,
    )
    assert run.lines == ["True"] * 6


@pytest.mark.parametrize(("method", "path", "sent"), [("GET", "/x", True), ("POST", "/x", False), ("PUT", "/x", False)])
def test_uploads_are_stopped_where_downloads_are_wanted(tmp_path: Path, method: str, path: str, sent: bool) -> None:
    run = passes(
        tmp_path,
        f"""
        import http.client, socket
        socket.socket.connect = lambda self, address: None
        connection = http.client.HTTPConnection("192.0.2.1", timeout=1)
        connection.connect = lambda: None
        try:
            connection.putrequest("{method}", "{path}")
            print("sent")
        except OSError as error:
            print(error)
        """,
        stand_ins="never",
    )
    assert (run.lines == ["sent"]) is sent
    assert bool(run.kept("upload")) is not sent


def test_fake_libraries_are_inert(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    (packages / "huggingface_hub").mkdir(parents=True)
    (packages / "huggingface_hub" / "__init__.py").write_text("from .hf_api import create_repo, upload_file, HfApi\n")
    (packages / "huggingface_hub" / "hf_api.py").write_text(
        "class HfApi:\n"
        "    def create_repo(self, repo_id): raise SystemExit('reached the hub')\n"
        "    def upload_file(self, **_): raise SystemExit('reached the hub')\n"
        "    def whoami(self): raise SystemExit('reached the hub')\n"
        "api = HfApi()\ncreate_repo = api.create_repo\nupload_file = api.upload_file\n"
    )
    (packages / "neptune.py").write_text("def init_run(**_): raise SystemExit('reached the tracker')\n")
    (packages / "aim.py").write_text("class Run:\n    def __init__(self): raise SystemExit('reached the tracker')\n")
    (packages / "wandb.py").write_text(
        "def init(**named): assert named['mode'] == 'disabled'\ndef login(key=None): raise SystemExit('asked')\n"
    )
    run = passes(
        tmp_path,
        """
        import huggingface_hub, neptune, aim, wandb, os
        print(huggingface_hub.create_repo("x"))
        huggingface_hub.upload_file(repo_id="me/x", path_or_fileobj="train.py")
        print(huggingface_hub.HfApi().whoami()["name"])
        run = neptune.init_run(project="p")
        run["loss"].append(1.0)
        class Mine(aim.Run):
            pass
        Mine().track(1.0, name="loss")
        wandb.login()
        wandb.init(project="p", mode="online")
        print(os.environ["WANDB_MODE"])
        """,
        environment={"PYTHONPATH": str(packages)},
    )
    assert run.lines == ["https://huggingface.co/user/x", "user", "disabled"]
    assert run.kept("create_repo") == ["x"]
    assert run.kept("push_to_hub") == ["me/x"]
    assert sorted(run.kept("tracker")) == ["aim", "neptune", "wandb"]


def test_looking_costs_little_before_the_first_write(tmp_path: Path) -> None:
    run = passes(
        tmp_path,
        """
        import os, time
        from _tflint_hf_agent.sandbox import real
        def seconds(function):
            best = 1.0
            for _ in range(7):
                start = time.perf_counter()
                for _ in range(2000):
                    function(__file__)
                best = min(best, time.perf_counter() - start)
            return best / 2000
        print(seconds(os.stat) - seconds(real.stat))
        open("new.txt", "w").close()
        print(seconds(os.stat) - seconds(real.stat))
        """,
    )
    before, after = (float(line) for line in run.lines)
    assert before < 50e-6
    assert after < 1000e-6
