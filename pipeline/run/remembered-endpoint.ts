import { join } from "node:path";
import { z } from "zod";
import { writeTextAtomically } from "../store/atomic.ts";
import { jsonOf, readTextIfThere } from "../store/run-folder.ts";

/** Which endpoint last wrote memories of a run: so that a new shell without the variables does not replace a model's memories by built-in ones. */
const RememberedEndpoint = z.strictObject({ baseUrl: z.string(), model: z.string() });
type RememberedEndpoint = z.infer<typeof RememberedEndpoint>;

const endpointPath = (runRoot: string): string => join(runRoot, "endpoint.json");

/** null: none is known. */
export async function readEndpoint(runRoot: string): Promise<RememberedEndpoint | null> {
  const text = await readTextIfThere(endpointPath(runRoot));
  return RememberedEndpoint.safeParse(text === null ? null : jsonOf(text)).data ?? null;
}

export const writeEndpoint = (runRoot: string, { baseUrl, model }: RememberedEndpoint): Promise<void> =>
  writeTextAtomically(endpointPath(runRoot), `${JSON.stringify({ baseUrl, model })}\n`);
