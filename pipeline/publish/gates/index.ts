import type { GateName } from "../../../schemas/recipe/publish.ts";
import { contamination } from "./contamination.ts";
import { digests } from "./digests.ts";
import type { Gate } from "./gate.ts";
import { licence } from "./licence.ts";
import { secrets } from "./secrets.ts";

/** In the order they are asked: whether the bytes are ours comes before what they say. */
export const gates: Readonly<Record<GateName, Gate>> = { digests, secrets, licence, contamination };
