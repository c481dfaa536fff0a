import { join } from "node:path";
import { fileDigest } from "../../store/lines.ts";
import type { Gate } from "./gate.ts";

/** Every file is, byte for byte, what stage 6 wrote. */
export const digests: Gate = async ({ folder, files, onFile }) => {
  const findings: { subject: string; what: string }[] = [];
  let bytes = 0;
  for (const { path, sha256 } of files) {
    onFile(path);
    const found = await fileDigest(join(folder, path)).catch(() => null);
    bytes += found?.bytes ?? 0;
    if (found === null) findings.push({ subject: path, what: "is gone or cannot be read" });
    else if (found.sha256 !== sha256)
      findings.push({ subject: path, what: `has sha256 ${found.sha256.slice(0, 12)}..., stage 6 wrote ${sha256.slice(0, 12)}...` });
  }
  return {
    looked: `sha256 of ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB, against the export's manifest`,
    findings,
    mend: "make the dataset anew with: catgen repair, then catgen run export; or approve a file that you edited by hand",
  };
};
