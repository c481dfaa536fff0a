import { type LaunchFile, type LaunchPlan, modelFolder } from "./launcher.ts";

const python = (value: string): string => JSON.stringify(value);

/**
 * Makes the model folder that all configs name. YaRN is written into its `config.json`, since every trainer and server reads it from
 * there alike, while their own switches for it lose `rope_theta` under transformers 5 (trainers.md 3.1).
 */
export function prepareModel({ training, windowTokens }: LaunchPlan): LaunchFile {
  const text = `#!/usr/bin/env python3
"""Makes the model that the configs train, and puts its chat template back after a training with TRL.

  python3 launch/prepare-model.py                                    the model into ${modelFolder}, positions stretched to ${windowTokens}
  python3 launch/prepare-model.py --no-yarn                          the model as it is
  python3 launch/prepare-model.py restore-template ${modelFolder} OUT     OUT speaks the chat template of ${modelFolder} again

Needs huggingface_hub to download; a local folder as --model needs nothing. The change to config.json is YaRN as the model's authors
describe it: static, so that short prompts change a little, too. vLLM and SGLang read it from the same file.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

MODEL = ${python(training.model)}
WINDOW = ${windowTokens}
YARN = ${training.yarn ? "True" : "False"}
CONTEXT_PARALLEL = ${training.contextParallel}


def read_json(path):
    if not path.is_file():
        sys.exit(f"expected {path}, found none; --model wants a Hub id or a local folder with a model in it")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        sys.exit(f"expected JSON in {path}, got none: {error}")
    if not isinstance(value, dict):
        sys.exit(f"expected an object in {path}, got {type(value).__name__}")
    return value


def positions_of(config):
    positions = config.get("max_position_embeddings")
    if not isinstance(positions, int) or positions < 1:
        sys.exit(f"expected max_position_embeddings in config.json, got {positions!r}; this is no text model that catgen knows how to stretch")
    return positions


def warn_of_heads(config):
    for key in ("num_attention_heads", "num_key_value_heads"):
        heads = config.get(key)
        if isinstance(heads, int) and heads % CONTEXT_PARALLEL != 0:
            fitting = [str(size) for size in range(1, heads + 1) if heads % size == 0]
            print(
                f"warning: {key} is {heads}, which context parallelism {CONTEXT_PARALLEL} of the configs does not divide; export again with "
                f"export.training.contextParallel one of {', '.join(fitting)}",
                file=sys.stderr,
            )


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\\n", encoding="utf-8")


def copy_model(model, out):
    if Path(model).is_dir():
        read_json(Path(model) / "config.json")
        if Path(model).resolve() == out.resolve():
            sys.exit(f"expected another folder than {model} as --out: the model itself is not changed")
        shutil.copytree(model, out, dirs_exist_ok=True)
        return
    if model.startswith((".", "/")) or model.count("/") != 1:
        sys.exit(f"expected a local folder or a Hub id such as org/name as --model, got {model}, which is neither")
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        sys.exit("expected huggingface_hub for the download; pip install huggingface_hub, or give a local folder as --model")

    snapshot_download(model, local_dir=out, ignore_patterns=["*.gguf", "*.pth", "original/*"])


def stretch(config, window):
    """The config with room for \`window\` positions, or None if it has that already."""
    rope = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    native = positions_of(config)
    if native >= window:
        return None
    if rope.get("rope_type", rope.get("type", "default")) != "default":
        sys.exit(f"expected a model without position scaling, got {rope}; prepare it by hand, or pass --no-yarn")
    theta = config.get("rope_theta") or rope.get("rope_theta")
    if theta is None:
        sys.exit("expected rope_theta in config.json, found none; this is no Qwen2 model")
    yarn = {"rope_type": "yarn", "factor": window / native, "original_max_position_embeddings": native}
    changed = {**config, "max_position_embeddings": window}
    if "rope_parameters" in config:
        changed["rope_parameters"] = {**rope, **yarn, "rope_theta": theta}
    else:
        changed.update(rope_theta=theta, rope_scaling={**yarn, "type": "yarn"})
    return changed


def prepare(arguments):
    if arguments.window < 1:
        sys.exit(f"expected a number of positions above 0 as --window, got {arguments.window}")
    out = Path(arguments.out)
    copy_model(arguments.model, out)
    config_path = out / "config.json"
    config = read_json(config_path)
    warn_of_heads(config)
    changed = stretch(config, arguments.window) if arguments.yarn else None
    if changed is not None:
        write_json(config_path, changed)
    tokenizer_path = out / "tokenizer_config.json"
    if changed is not None and tokenizer_path.is_file():
        tokenizer = read_json(tokenizer_path)
        tokenizer["model_max_length"] = max(tokenizer.get("model_max_length") or 0, arguments.window)
        write_json(tokenizer_path, tokenizer)
    print(f"{out}: positions {positions_of(read_json(config_path))}" + ("" if changed is None else ", by YaRN"))


def restore_template(arguments):
    source, trained = Path(arguments.source), Path(arguments.trained)
    file, config = source / "chat_template.jinja", read_json(source / "tokenizer_config.json")
    template = file.read_text(encoding="utf-8") if file.is_file() else config.get("chat_template")
    if template is None:
        sys.exit(f"expected a chat template in {source}, found none")
    trained_config = read_json(trained / "tokenizer_config.json")
    trained_file = trained / "chat_template.jinja"
    if trained_file.is_file() or "chat_template" not in trained_config:
        trained_file.write_text(template, encoding="utf-8")
        trained_config.pop("chat_template", None)
    else:
        trained_config["chat_template"] = template
    write_json(trained / "tokenizer_config.json", trained_config)
    print(f"{trained}: chat template of {source}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=prepare)
    parser.add_argument("--model", default=MODEL, help="Hub id or local folder (%(default)s)")
    parser.add_argument("--out", default=${python(modelFolder)}, help="folder to make (%(default)s)")
    parser.add_argument("--window", type=int, default=WINDOW, help="positions (%(default)s)")
    parser.add_argument("--yarn", action=argparse.BooleanOptionalAction, default=YARN)
    restore = parser.add_subparsers().add_parser("restore-template")
    restore.set_defaults(run=restore_template)
    restore.add_argument("source", help="folder with the template to put back")
    restore.add_argument("trained", help="folder of the trained model")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
`;
  return { path: "launch/prepare-model.py", text };
}
