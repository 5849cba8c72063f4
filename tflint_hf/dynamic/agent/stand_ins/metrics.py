"""Stand-ins of metrics: `evaluate.load` and the older `datasets.load_metric` fetch a script from the Hub."""

import math
import os

from .patching import around_function


def install(context):
    """Patch the libraries once they are imported."""

    def load(original, *args, **kwargs):
        path = str(args[0] if args else kwargs.get("path"))
        config = args[1] if len(args) > 1 else kwargs.get("config_name")
        if os.path.exists(path):
            return original(*args, **kwargs)
        if context.job["stand_ins"] == "auto" and _is_cached(path):
            try:
                return original(*args, **kwargs)
            except Exception as error:
                context.channel.trouble("the cache of metric " + path, error)
        known = path.rpartition("/")[2] in COMPUTED
        kind, at = "stand_in" if known else "missing", context.places.of_stack()
        context.channel.send(kind, what="metric", name=path, at=at)
        if not known:
            return original(*args, **kwargs)
        context.stand_ins.append({"what": "metric", "name": path})
        return Metric(path.rpartition("/")[2], config)

    def patch_evaluate(module):
        around_function([module, module.loading], "load", load)
        combine = getattr(module, "combine", None)
        if combine is not None:
            around_function([module, module.module], "combine", lambda original, *args, **kwargs: _combined(*args))

    def patch_datasets(module):
        around_function([module, module.load], "load_metric", load)

    def _combined(evaluations, *_):
        import evaluate

        each = evaluations.values() if isinstance(evaluations, dict) else evaluations
        return Several([evaluate.load(one) if isinstance(one, str) else one for one in each])

    context.after_import.call("evaluate", patch_evaluate)
    context.after_import.call("datasets", patch_datasets)


def _is_cached(path):
    home = os.environ.get("HF_HOME", os.path.join(os.path.expanduser("~"), ".cache", "huggingface"))
    name = path.replace("/", "--")
    folders = (os.path.join(home, "modules", part) for part in ("evaluate_modules/metrics", "datasets_modules/metrics"))
    return any(
        os.path.exists(os.path.join(folder, each)) for folder in folders for each in (name, "evaluate-metric--" + name)
    )


class Metric:
    """Gathers predictions and references and computes, as the modules of evaluate do."""

    def __init__(self, name, config=None):
        self.name = name
        self.config_name = config
        self.description = "A stand-in for the metric %s." % name
        self.inputs_description = ""
        self._predictions = []
        self._references = []

    def add(self, *, prediction=None, reference=None, references=None, **_):
        """One row."""
        self._predictions.append(prediction)
        self._references.append(reference if references is None else references)

    def add_batch(self, *, predictions=None, references=None, **_):
        """Several rows."""
        predictions, references = _as_list(predictions), _as_list(references)
        if len(predictions) != len(references):
            raise ValueError(
                "Mismatch in the number of predictions (%d) and references (%d)" % (len(predictions), len(references))
            )
        self._predictions += predictions
        self._references += references

    def compute(self, *, predictions=None, references=None, **options):
        """The values by name, of all that was added and of what is given now."""
        if predictions is not None or references is not None:
            self.add_batch(predictions=_as_list(predictions), references=_as_list(references))
        if not self._predictions:
            raise ValueError("Evaluation module inputs are missing: predictions and references.")
        found, self._predictions, given = self._predictions, [], self._references
        self._references = []
        return COMPUTED[self.name](found, given, options, self.config_name)


class Several:
    """Several metrics as one."""

    def __init__(self, metrics):
        self.metrics = metrics

    def add(self, **row):
        """One row for each."""
        for metric in self.metrics:
            metric.add(**row)

    def add_batch(self, **rows):
        """Several rows for each."""
        for metric in self.metrics:
            metric.add_batch(**rows)

    def compute(self, **options):
        """The values of all."""
        found = {}
        for metric in self.metrics:
            found.update(metric.compute(**options))
        return found


def _as_list(values):
    if hasattr(values, "numpy"):
        values = values.numpy()
    if hasattr(values, "tolist"):
        values = values.tolist()
    return list(values) if values is not None else []


def _scalar(value):
    """A class, as the metrics convert it; they refuse rows of scores."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        raise ValueError("Predictions and/or references don't match the expected format: a row is a list, not a class.")
    return value


def _accuracy(predictions, references, options, _):
    pairs = [(_scalar(found), _scalar(given)) for found, given in zip(predictions, references)]
    same = sum(found == given for found, given in pairs)
    return {"accuracy": same if options.get("normalize") is False else same / len(pairs)}


def _counts(predictions, references, label):
    pairs = [(_scalar(found), _scalar(given)) for found, given in zip(predictions, references)]
    right = sum(found == given == label for found, given in pairs)
    return right, sum(found == label for found, _ in pairs), sum(given == label for _, given in pairs)


def _per_class(value):
    """A metric of one class, averaged as scikit-learn does."""

    def computed(predictions, references, options):
        classes = sorted({_scalar(each) for each in [*predictions, *references]})
        average = options.get("average", "binary")
        if average == "binary":
            positive = options.get("pos_label", 1)
            if len(classes) > 2:
                raise ValueError(
                    "Target is multiclass but average='binary'. Please choose another average setting, one of "
                    "[None, 'micro', 'macro', 'weighted']."
                )
            return value(*_counts(predictions, references, positive))
        each = [_counts(predictions, references, label) for label in classes]
        if average == "micro":
            return value(*(sum(part) for part in zip(*each)))
        values = [value(*counts) for counts in each]
        if average is None:
            return values
        if average == "weighted":
            return sum(one * given for one, (_, _, given) in zip(values, each)) / max(1, len(references))
        return sum(values) / len(values)

    return computed


_f1_value = _per_class(lambda right, found, given: 2 * right / (found + given) if found + given else 0.0)
_precision_value = _per_class(lambda right, found, _: right / found if found else 0.0)
_recall_value = _per_class(lambda right, _, given: right / given if given else 0.0)


def _f1(predictions, references, options, _):
    return {"f1": _f1_value(predictions, references, options)}


def _precision(predictions, references, options, _):
    return {"precision": _precision_value(predictions, references, options)}


def _recall(predictions, references, options, _):
    return {"recall": _recall_value(predictions, references, options)}


def _matthews(predictions, references, *_):
    pairs = [(_scalar(found), _scalar(given)) for found, given in zip(predictions, references)]
    classes = sorted({each for pair in pairs for each in pair})
    total, right = len(pairs), sum(found == given for found, given in pairs)
    found = [sum(one == label for one, _ in pairs) for label in classes]
    given = [sum(one == label for _, one in pairs) for label in classes]
    above = right * total - sum(one * other for one, other in zip(found, given))
    below = (total**2 - sum(one**2 for one in found)) * (total**2 - sum(one**2 for one in given))
    return {"matthews_correlation": above / math.sqrt(below) if below else 0.0}


def _numbers(values):
    return [float(_scalar(each)) for each in values]


def _pearson(first, second):
    mean_first, mean_second = sum(first) / len(first), sum(second) / len(second)
    pairs = [(one - mean_first, other - mean_second) for one, other in zip(first, second)]
    below = math.sqrt(sum(one * one for one, _ in pairs) * sum(other * other for _, other in pairs))
    return sum(one * other for one, other in pairs) / below if below else float("nan")


def _ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    for rank, place in enumerate(order):
        ranks[place] = float(rank)
    return ranks


def _pearsonr(predictions, references, *_):
    return {"pearsonr": _pearson(_numbers(predictions), _numbers(references))}


def _spearmanr(predictions, references, *_):
    return {"spearmanr": _pearson(_ranks(_numbers(predictions)), _ranks(_numbers(references)))}


def _mse(predictions, references, options, _):
    pairs = list(zip(_numbers(predictions), _numbers(references)))
    mean = sum((found - given) ** 2 for found, given in pairs) / len(pairs)
    return {"mse": mean if options.get("squared", True) else math.sqrt(mean)}


def _glue(predictions, references, options, config):
    if config == "stsb":
        return {
            "pearson": _pearsonr(predictions, references)["pearsonr"],
            "spearmanr": _spearmanr(predictions, references)["spearmanr"],
        }
    if config == "cola":
        return _matthews(predictions, references)
    values = _accuracy(predictions, references, {}, None)
    if config in ("mrpc", "qqp"):
        values.update(_f1(predictions, references, options, None))
    return values


def _entities(tags):
    """Of one row of tags the names: start, end and kind."""
    found, start, kind = set(), None, None
    for place, tag in enumerate([*tags, "O"]):
        prefix, _, rest = str(tag).partition("-")
        if start is not None and (prefix in ("O", "B") or rest != kind):
            found.add((start, place, kind))
            start = None
        if prefix not in ("O", "") and start is None:
            start, kind = place, rest
    return found


def _seqeval(predictions, references, *_):
    totals, tokens, same = {}, 0, 0
    for found, given in zip(predictions, references):
        if any(not isinstance(tag, str) for tag in [*found, *given]):
            raise ValueError("Predictions and/or references don't match the expected format: tags must be strings.")
        tokens += len(given)
        same += sum(one == other for one, other in zip(found, given))
        predicted, real = _entities(found), _entities(given)
        for kind in {each[2] for each in predicted | real}:
            counts = totals.setdefault(kind, [0, 0, 0])
            mine, true = ({each for each in names if each[2] == kind} for names in (predicted, real))
            for place, amount in enumerate((len(mine & true), len(mine), len(true))):
                counts[place] += amount

    def scores(right, found, given):
        precision, recall = right / found if found else 0.0, right / given if given else 0.0
        both = precision + recall
        return precision, recall, 2 * precision * recall / both if both else 0.0

    values = {}
    for kind, counts in sorted(totals.items()):
        values[kind] = dict(zip(("precision", "recall", "f1"), scores(*counts)), number=counts[2])
    overall = scores(*(sum(counts[place] for counts in totals.values()) for place in range(3)))
    values.update(zip(("overall_precision", "overall_recall", "overall_f1"), overall))
    values["overall_accuracy"] = same / tokens if tokens else 0.0
    return values


def _overlap(first, second):
    left = list(second)
    common = 0
    for each in first:
        if each in left:
            left.remove(each)
            common += 1
    return 2 * common / (len(first) + len(second)) if first or second else 0.0


def _texts(references):
    return [each[0] if isinstance(each, (list, tuple)) else each for each in references]


def _rouge(predictions, references, options, _):
    found = [str(each).lower().split() for each in predictions]
    given = [str(each).lower().split() for each in _texts(references)]
    one = [_overlap(first, second) for first, second in zip(found, given)]
    two = [_overlap(list(zip(first, first[1:])), list(zip(second, second[1:]))) for first, second in zip(found, given)]
    if options.get("use_aggregator") is False:
        return {"rouge1": one, "rouge2": two, "rougeL": one, "rougeLsum": one}
    mean_one, mean_two = sum(one) / len(one), sum(two) / len(two)
    return {"rouge1": mean_one, "rouge2": mean_two, "rougeL": mean_one, "rougeLsum": mean_one}


def _bleu_parts(predictions, references):
    precisions, length, reference_length = [], 0, 0
    for size in range(1, 5):
        right = total = 0
        for found, given in zip(predictions, references):
            first = [tuple(found[start : start + size]) for start in range(len(found) - size + 1)]
            left = [tuple(given[start : start + size]) for start in range(len(given) - size + 1)]
            total += len(first)
            for each in first:
                if each in left:
                    left.remove(each)
                    right += 1
        precisions.append(right / total if total else 0.0)
    length, reference_length = sum(map(len, predictions)), sum(map(len, references))
    penalty = 1.0 if length > reference_length else math.exp(1 - reference_length / length) if length else 0.0
    mean = math.exp(sum(math.log(each) for each in precisions) / 4) if min(precisions) > 0 else 0.0
    return penalty * mean, precisions, penalty, length, reference_length


def _sacrebleu(predictions, references, *_):
    if any(not isinstance(each, (list, tuple)) for each in references):
        references = [[each] for each in references]
    found, given = [str(each).split() for each in predictions], [str(each[0]).split() for each in references]
    score, precisions, penalty, length, reference_length = _bleu_parts(found, given)
    return {
        "score": 100 * score,
        "counts": [0] * 4,
        "totals": [0] * 4,
        "precisions": [100 * each for each in precisions],
        "bp": penalty,
        "sys_len": length,
        "ref_len": reference_length,
    }


def _bleu(predictions, references, *_):
    found, given = [str(each).split() for each in predictions], [str(each).split() for each in _texts(references)]
    score, precisions, penalty, length, reference_length = _bleu_parts(found, given)
    return {
        "bleu": score,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": length / max(1, reference_length),
        "translation_length": length,
        "reference_length": reference_length,
    }


def _answers(predictions, references):
    texts = {each["id"]: each["prediction_text"] for each in predictions}
    exact = near = 0.0
    for each in references:
        found = str(texts.get(each["id"], "")).lower().strip()
        given = [str(text).lower().strip() for text in each["answers"]["text"]] or [""]
        exact += found in given
        near += max(1.0 if found == one else _overlap(found.split(), one.split()) for one in given)
    return 100 * exact / len(references), 100 * near / len(references)


def _squad(predictions, references, *_):
    exact, near = _answers(predictions, references)
    return {"exact_match": exact, "f1": near}


def _squad_v2(predictions, references, *_):
    exact, near = _answers(predictions, references)
    kinds = {"HasAns": [each for each in references if each["answers"]["text"]]}
    kinds["NoAns"] = [each for each in references if not each["answers"]["text"]]
    values = {"exact": exact, "f1": near, "total": len(references)}
    for kind, rows in kinds.items():
        if rows:
            part = _answers(predictions, rows)
            values.update({kind + "_exact": part[0], kind + "_f1": part[1], kind + "_total": len(rows)})
    values.update(best_exact=exact, best_exact_thresh=0.0, best_f1=near, best_f1_thresh=0.0)
    return values


COMPUTED = {
    "accuracy": _accuracy,
    "bleu": _bleu,
    "f1": _f1,
    "glue": _glue,
    "matthews_correlation": _matthews,
    "mse": _mse,
    "pearsonr": _pearsonr,
    "precision": _precision,
    "recall": _recall,
    "rouge": _rouge,
    "sacrebleu": _sacrebleu,
    "seqeval": _seqeval,
    "spearmanr": _spearmanr,
    "squad": _squad,
    "squad_v2": _squad_v2,
}
"""What each metric computes of predictions, references, options and its configuration."""
