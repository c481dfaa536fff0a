import { field, WrongShape, wordAt } from "../lenient.ts";
import { isMirrored, isRow, jsonIn } from "./lib-row.ts";

/** SWE-rebench's rows say how to install and test; JSON text in some exports. */
export function installConfig(value: unknown): unknown {
  const found = field(value, "install_config");
  return typeof found === "string" ? jsonIn(found, "install_config") : (found ?? null);
}

const hasInstallConfig = (value: unknown): boolean => field(value, "install_config") !== undefined;

const isV2 = (value: unknown): boolean => wordAt(value, "language") !== null || /swerebenchv2\//i.test(wordAt(value, "image_name") ?? "");

export const isRebenchRow = (value: unknown): boolean => isRow(value) && !isMirrored(value) && hasInstallConfig(value) && !isV2(value);

export const isRebenchV2Row = (value: unknown): boolean => isRow(value) && !isMirrored(value) && hasInstallConfig(value) && isV2(value);

/** A row that leaves image and commands to the harness of its dataset. */
export const isPlainRow = (value: unknown): boolean => isRow(value) && !isMirrored(value) && !hasInstallConfig(value);

/** `test_cmd`: one command or a list of them. */
export function testCommands(config: unknown): string[] {
  const found = field(config, "test_cmd");
  const commands = Array.isArray(found) ? found : [found];
  const texts = commands.filter((command): command is string => typeof command === "string" && command.trim() !== "");
  if (texts.length === 0 || texts.length < commands.length)
    throw new WrongShape("install_config.test_cmd", "a command or a list of commands", found);
  return texts;
}
