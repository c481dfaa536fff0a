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


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\\n", encoding="utf-8")


def copy_model(model, out):
    if Path(model).is_dir():
        shutil.copytree(model, out, dirs_exist_ok=True)
        return
    from huggingface_hub import snapshot_download

    snapshot_download(model, local_dir=out, ignore_patterns=["*.gguf", "*.pth", "original/*"])


def stretch(config, window):
    """The config with room for \`window\` positions, or None if it has that already."""
    rope = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    if config["max_position_embeddings"] >= window:
        return None
    if rope.get("rope_type", rope.get("type", "default")) != "default":
        sys.exit(f"expected a model without position scaling, got {rope}; prepare it by hand, or pass --no-yarn")
    native = config["max_position_embeddings"]
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
    out = Path(arguments.out)
    copy_model(arguments.model, out)
    config_path = out / "config.json"
    changed = stretch(read_json(config_path), arguments.window) if arguments.yarn else None
    if changed is not None:
        write_json(config_path, changed)
    tokenizer_path = out / "tokenizer_config.json"
    if changed is not None and tokenizer_path.is_file():
        tokenizer = read_json(tokenizer_path)
        tokenizer["model_max_length"] = max(tokenizer.get("model_max_length") or 0, arguments.window)
        write_json(tokenizer_path, tokenizer)
    print(f"{out}: positions {read_json(config_path)['max_position_embeddings']}" + ("" if changed is None else ", by YaRN"))


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
