import { z } from "zod";

/** A threshold; null switches it off. */
export const limit = (schema: z.ZodNumber) => schema.nullable();
/** A part of a whole, 0..1. */
export const share = () => z.number().min(0).max(1);
