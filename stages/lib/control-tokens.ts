/**
 * Text that every trainer's tokenizer turns into a control token, wherever it stands. Source: `added_tokens` of Qwen2.5's tokenizer.json;
 * `<tool_call>` is not flagged special there but is one id all the same.
 */
export const controlTexts = [
  "<|endoftext|>",
  "<|im_start|>",
  "<|im_end|>",
  "<|object_ref_start|>",
  "<|object_ref_end|>",
  "<|box_start|>",
  "<|box_end|>",
  "<|quad_start|>",
  "<|quad_end|>",
  "<|vision_start|>",
  "<|vision_end|>",
  "<|vision_pad|>",
  "<|image_pad|>",
  "<|video_pad|>",
  "<tool_call>",
  "</tool_call>",
  "<|fim_prefix|>",
  "<|fim_middle|>",
  "<|fim_suffix|>",
  "<|fim_pad|>",
  "<|repo_name|>",
  "<|file_sep|>",
] as const;

const pattern = new RegExp(controlTexts.map((text) => text.replace(/[|/]/g, "\\$&")).join("|"), "g");

/** Places in `text` that would become a control token. */
export const countControlTexts = (text: string): number => (text.includes("<") ? (text.match(pattern)?.length ?? 0) : 0);

/** A space after each `<` that would open a control token: `<|im_end|>` becomes `< |im_end|>`. The live agent does the same. */
export const escapeControlTexts = (text: string): string =>
  text.includes("<") ? text.replace(pattern, (found) => `< ${found.slice(1)}`) : text;
