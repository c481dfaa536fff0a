import { Fault } from "../../../schemas/fault.ts";

/**
 * The results of what runs side by side, once all of it has ended: nothing paid for is left behind when one breaks. Throws the first
 * error then, one that stops the run before others.
 */
export async function allSettled<T>(running: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(running);
  const errors = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => !(error instanceof Fault) || error.remedy === "stop") ?? errors[0];
  return ended.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}
