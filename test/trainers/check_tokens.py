"""Text, tokens and masks by transformers, with the Qwen2.5 tokenizer and the templates as they lie in the dataset."""

from checks import counted, equal


def segment_tokens(tokenizer, row):
    """Token ids and labels of an `input-output` row as axolotl makes them: piece by piece, -100 where nothing is trained."""
    ids, labels = [], []
    for piece in row["segments"]:
        tokens = tokenizer(piece["text"], add_special_tokens=False)["input_ids"]
        ids += tokens
        labels += tokens if piece["label"] else [-100] * len(tokens)
    return ids, labels


def template_writes_the_pieces(exported, tokenizer):
    """The model's own chat template makes of `messages` the text and the tokens of `segments`, as many as the columns say."""
    samples = tokens = 0
    for _, messages, pieces in exported.pairs():
        name = messages["cat_sample_id"]
        text = tokenizer.apply_chat_template(messages["messages"], tokenize=False)
        equal("".join(piece["text"] for piece in pieces["segments"]) == text, True, f"text of {name}")
        ids, labels = segment_tokens(tokenizer, pieces)
        equal(tokenizer.apply_chat_template(messages["messages"], return_dict=True)["input_ids"] == ids, True, f"ids of {name}")
        equal(len(ids), messages["cat_num_tokens"], f"cat_num_tokens of {name}")
        equal(sum(label != -100 for label in labels), messages["cat_num_trained_tokens"], f"cat_num_trained_tokens of {name}")
        samples += 1
        tokens += len(ids)
    return f"{counted(samples, 'samples')}, {tokens:,} tokens"


def gated_template_marks_the_labels(exported, tokenizer):
    """`assistant_masks` of the template that comes with the TRL configs are the labels of `segments`."""
    template = (exported.folder / "configs/trl/qwen2_5_train_gated.jinja").read_text(encoding="utf-8")
    samples = trained = 0
    for _, messages, pieces in exported.pairs():
        name = messages["cat_sample_id"]
        ids, labels = segment_tokens(tokenizer, pieces)
        made = tokenizer.apply_chat_template(
            messages["messages"], chat_template=template, return_dict=True, return_assistant_tokens_mask=True
        )
        equal(made["input_ids"] == ids, True, f"ids of {name}")
        equal(made["assistant_masks"] == [int(label != -100) for label in labels], True, f"mask of {name}")
        samples += 1
        trained += sum(made["assistant_masks"])
    return f"{counted(samples, 'samples')}, {trained:,} trained tokens"


def tokenized_rows_are_the_pieces(exported, tokenizer):
    """`input_ids` and `labels` of `tokenized` are those of the pieces, row by row, as transformers tokenizes them."""
    by_name = {(part.layout, part.kind, part.split): part for part in exported.parts}
    rows = trained = 0
    for (layout, kind, split), part in by_name.items():
        if layout != "tokenized":
            continue
        for row, pieces in zip(exported.rows(part), exported.rows(by_name["input-output", kind, split]), strict=True):
            ids, labels = segment_tokens(tokenizer, pieces)
            equal(row["input_ids"] == ids and row["labels"] == labels, True, f"row of {pieces['cat_sample_id']}")
            equal(row["attention_mask"] == [1] * len(ids), True, f"attention_mask of {pieces['cat_sample_id']}")
            rows += 1
            trained += sum(label != -100 for label in labels)
    return f"{counted(rows, 'rows')}, {trained:,} trained tokens"


def run(checks, exported, tokenizer):
    checks.run("the chat template writes the pieces, to the character and the token", template_writes_the_pieces, exported, tokenizer)
    checks.run("the gated template marks the labelled pieces, to the token", gated_template_marks_the_labels, exported, tokenizer)
    if any(part.layout == "tokenized" for part in exported.parts):
        checks.run("tokenized rows are the pieces, to the token and the label", tokenized_rows_are_the_pieces, exported, tokenizer)
