/** An edit of one file, whole contents as they stand on disk, byte order mark and line ends included. */
export interface FileEdit {
  readonly before: string;
  readonly after: string;
}

/** What the tools of one rollout remember: the edits of each file, oldest first. */
export interface ToolState {
  readonly edits: Map<string, FileEdit[]>;
}

export const openToolState = (): ToolState => ({ edits: new Map() });

/** Edits of one file that can be taken back. */
const undoLevels = 10;

export function rememberEdit(state: ToolState, path: string, edit: FileEdit): void {
  state.edits.set(path, [...(state.edits.get(path) ?? []), edit].slice(-undoLevels));
}
