import type { SampleKind } from "../../../schemas/sample.ts";
import { base } from "./base.ts";
import { condense } from "./condense.ts";
import { flat } from "./flat.ts";
import type { Kind } from "./kind.ts";
import { segment } from "./segment.ts";
import { step } from "./step.ts";

export const kinds = { segment, condense, base, flat, step } satisfies Record<SampleKind, Kind>;
