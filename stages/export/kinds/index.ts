import type { SampleKind } from "../../../schemas/sample.ts";
import { base } from "./base.ts";
import { condense } from "./condense.ts";
import type { Kind } from "./kind.ts";
import { segment } from "./segment.ts";

export const kinds = { segment, condense, base } satisfies Record<SampleKind, Kind>;
