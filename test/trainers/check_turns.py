"""What the rows say of themselves, told apart from our own code: who speaks, what is trained, and each step once."""

from collections import Counter, defaultdict

from checks import counted, equal


def turns_alternate(exported):
    """System, then user and assistant in turn; the last one is trained, only assistants are, and `loss` says it again."""
    turns = 0
    for _, row, _ in exported.pairs():
        messages, name = row["messages"], row["cat_sample_id"]
        turns += len(messages)
        equal(len(row["cat_step_ids"]), len(messages), f"step ids of {name}")
        expected = ["system"] + ["user" if index % 2 else "assistant" for index in range(1, len(messages))]
        equal([message["role"] for message in messages], expected, f"roles of {name}")
        equal(messages[-1]["train"], True, f"the last turn of {name} is trained")
        for message in messages:
            agent = message["role"] == "assistant"
            equal(message["train"] and not agent, False, f"a trained {message['role']} turn in {name}")
            equal(message["loss"], message["train"] if agent else None, f"loss in {name}")
            equal(message["content"].strip() == "" and message["role"] != "system", False, f"an empty turn in {name}")
    return counted(turns, "turns")


def layouts_agree(exported):
    """Both layouts hold the same samples in the same order, with as many trained pieces as trained turns."""
    samples = 0
    for _, messages, pieces in exported.pairs():
        samples += 1
        facts = [{name: value for name, value in row.items() if name.startswith("cat_")} for row in (messages, pieces)]
        equal(facts[1], facts[0], messages["cat_sample_id"])
        trained = [message["content"] + "<|im_end|>" for message in messages["messages"] if message["train"]]
        equal([piece["text"] for piece in pieces["segments"] if piece["label"]], trained, messages["cat_sample_id"])
    return counted(samples, "samples")


def steps_trained_once(exported):
    """Over the segments of a trajectory every base step is trained once; over those that are left, at most once."""
    trained = defaultdict(Counter)
    seen = Counter()
    expected = {}
    base = {}
    for kind, row, _ in exported.pairs():
        trajectory = row["cat_trajectory_id"]
        steps = [step for step, message in zip(row["cat_step_ids"], row["messages"], strict=True) if message["train"] and step >= 0]
        if kind == "segment":
            trained[trajectory].update(steps)
            seen[trajectory] += 1
            expected[trajectory] = row["cat_num_segments"]
        if kind == "base":
            base[trajectory] = steps
            equal(steps, list(range(len(steps))), f"steps of {row['cat_sample_id']}")
    whole = [trajectory for trajectory in trained if seen[trajectory] == expected[trajectory]]
    for trajectory, steps in trained.items():
        equal([step for step, times in steps.items() if times != 1], [], f"steps of {trajectory} that are trained more than once")
    for trajectory in whole:
        equal(sorted(trained[trajectory]), list(range(len(trained[trajectory]))), f"steps of {trajectory}")
        if trajectory in base:
            equal(len(trained[trajectory]), len(base[trajectory]), f"number of steps of {trajectory}, beside its base sample")
    steps = sum(len(trained[trajectory]) for trajectory in whole)
    both = sum(trajectory in base for trajectory in whole)
    return f"{counted(steps, 'steps')} of {len(whole)} whole trajectories ({both} beside their base sample), {len(trained) - len(whole)} in part"


def splits_are_apart(exported):
    """No trajectory and no instance is on both sides."""
    sides = defaultdict(set)
    for part in exported.parts:
        if part.layout == "tokenized":  # says nothing of where its rows come from
            continue
        for row in exported.rows(part):
            sides["trajectory", row["cat_trajectory_id"]].add(part.split)
            sides["instance", row["cat_instance_id"]].add(part.split)
    equal([name for name, splits in sides.items() if len(splits) > 1 and name[1] is not None], [], "on both sides")
    return counted(len(sides), "trajectories and instances")


def run(checks, exported):
    checks.run("turns alternate, end trained, and only agent turns are", turns_alternate, exported)
    checks.run("both layouts hold the same samples", layouts_agree, exported)
    checks.run("every step is trained exactly once over the segments of a trajectory", steps_trained_once, exported)
    checks.run("train and validation share nothing", splits_are_apart, exported)
