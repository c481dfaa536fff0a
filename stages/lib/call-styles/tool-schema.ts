import { z } from "zod";

const Property = z.strictObject({
  type: z.union([z.string(), z.array(z.string())]),
  description: z.string().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  items: z.strictObject({ type: z.string() }).optional(),
});

const FunctionSchema = z.object({
  function: z.object({
    name: z.string(),
    description: z.string().default(""),
    parameters: z
      .object({ properties: z.record(z.string(), z.unknown()).default({}), required: z.array(z.string()).default([]) })
      .default({ properties: {}, required: [] }),
  }),
});
export type ToolSchema = z.infer<typeof FunctionSchema>["function"];

/** An OpenAI function schema from its raw text; null for anything else, since sources declare tools in forms of their own. */
export function readToolSchema(tool: string): ToolSchema | null {
  try {
    return FunctionSchema.safeParse(JSON.parse(tool)).data?.function ?? null;
  } catch {
    return null;
  }
}

/** The types that the schema of one parameter allows; null where it does not simply say. */
export function typesOf(property: unknown): readonly string[] | null {
  const { type } = z.object({ type: Property.shape.type }).safeParse(property).data ?? {};
  return type === undefined ? null : [type].flat();
}

/** `- path (string, required): Absolute path`; a schema that such a line cannot say is shown as it is. */
function parameterLine(name: string, property: unknown, required: boolean): string {
  const own = Property.safeParse(property).data;
  if (own === undefined) return `- ${name}${required ? " (required)" : ""}: ${JSON.stringify(property)}`;
  const type = [own.type].flat().join(" or ") + (own.items === undefined ? "" : ` of ${own.items.type}`);
  const choice = own.enum === undefined ? "" : `, one of ${own.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  return `- ${name} (${type}${choice}${required ? ", required" : ""})${own.description === undefined ? "" : `: ${own.description}`}`;
}

/** A tool in words. */
export function describeTool(tool: string): string {
  const schema = readToolSchema(tool);
  if (schema === null) return tool;
  const { properties, required } = schema.parameters;
  const lines = Object.entries(properties).map(([name, property]) => parameterLine(name, property, required.includes(name)));
  const parameters = lines.length === 0 ? "No parameters." : ["Parameters:", ...lines].join("\n");
  return [`## ${schema.name}`, ...(schema.description === "" ? [] : [schema.description]), parameters].join("\n\n");
}
