import assert from "node:assert/strict";
import { test } from "node:test";
import { codesOf, serverOptions } from "../src/options";

test("programs run with the interpreter of the setting, else that of the project", () => {
  assert.deepEqual(serverOptions("/mine", "/project", 60, true), { python: "/mine", budgetSeconds: 60, rulePaths: true });
  assert.deepEqual(serverOptions("", "/project", 60, true), { python: "/project", budgetSeconds: 60, rulePaths: true });
  assert.deepEqual(serverOptions("", undefined, 0, false), { rulePaths: false });
});

test("codes are those of tflint-hf, each once", () => {
  const linked = { source: "tflint-hf", code: { value: "TFL002", target: "" } };
  const plain = { source: "tflint-hf", code: "TFL001" };
  assert.deepEqual(codesOf([plain, plain, linked, { source: "other", code: "X" }, { source: "tflint-hf" }]), [
    "TFL001", "TFL002",
  ]);
});
