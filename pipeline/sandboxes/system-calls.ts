/**
 * System calls that reach past namespaces without any capability, measured inside bubblewrap 0.8 on Linux 6.18: the keyring of the session that
 * started us is inherited (a secret in it was read from inside), `userfaultfd` and `io_uring` open the kernel to races that exploits are made of. The
 * others ask for a capability on most machines, by settings that differ. `ptrace` stays: it reaches the agent's own processes alone, and debuggers need it.
 * Numbers: Linux `arch/x86/entry/syscalls/*.tbl`, `include/uapi/asm-generic/unistd.h`, `arch/arm/tools/syscall.tbl`.
 */
const denied = {
  add_key: { x86_64: 248, i386: 286, aarch64: 217, arm: 309 },
  request_key: { x86_64: 249, i386: 287, aarch64: 218, arm: 310 },
  keyctl: { x86_64: 250, i386: 288, aarch64: 219, arm: 311 },
  perf_event_open: { x86_64: 298, i386: 336, aarch64: 241, arm: 364 },
  open_by_handle_at: { x86_64: 304, i386: 342, aarch64: 265, arm: 371 },
  bpf: { x86_64: 321, i386: 357, aarch64: 280, arm: 386 },
  userfaultfd: { x86_64: 323, i386: 374, aarch64: 282, arm: 388 },
  io_uring_setup: { x86_64: 425, i386: 425, aarch64: 425, arm: 425 },
  io_uring_enter: { x86_64: 426, i386: 426, aarch64: 426, arm: 426 },
  io_uring_register: { x86_64: 427, i386: 427, aarch64: 427, arm: 427 },
} as const;

type Abi = keyof (typeof denied)["keyctl"];
/** `AUDIT_ARCH_*` of linux/audit.h. */
const abis: Readonly<Record<Abi, number>> = { x86_64: 0xc000003e, i386: 0x40000003, aarch64: 0xc00000b7, arm: 0x40000028 };
/** What a machine runs, its 32-bit programs included. */
const abisOf: Readonly<Record<string, readonly Abi[]>> = { x64: ["x86_64", "i386"], arm64: ["aarch64", "arm"] };

const [load, ifEqual, ifAtLeast, end] = [0x20, 0x15, 0x35, 0x06]; // of linux/bpf_common.h: LD|W|ABS, JMP|JEQ|K, JMP|JGE|K, RET|K
const [callOffset, abiOffset] = [0, 4]; // in struct seccomp_data
const allow = 0x7fff0000;
/** As if the kernel were too old for them, so that programs fall back: ERRNO with ENOSYS. */
const refuse = 0x00050000 + 38;
/** Calls of x32, a third ABI under the mark of x86_64. */
const x32 = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function blockOf(abi: Abi): Instruction[] {
  const tests: (readonly [number, number])[] = Object.values(denied).map((numbers) => [ifEqual, numbers[abi]]);
  if (abi === "x86_64") tests.unshift([ifAtLeast, x32]);
  const jumps = tests.map(([code, value], at): Instruction => [code, tests.length - at, 0, value]); // to the last line of the block
  return [[load, 0, 0, callOffset], ...jumps, [end, 0, 0, allow], [end, 0, 0, refuse]];
}

/** A classic BPF program as `bwrap --seccomp` reads it; null: for a machine whose numbers are not here. Calls of a foreign ABI are refused. */
export function callFilter(machine: string): Buffer | null {
  const program = (abisOf[machine] ?? []).flatMap((abi): Instruction[] => {
    const block = blockOf(abi);
    return [[load, 0, 0, abiOffset], [ifEqual, 0, block.length, abis[abi]], ...block];
  });
  if (program.length === 0) return null;
  const bytes = [...program, [end, 0, 0, refuse] as const].map(([code, ifTrue, ifFalse, value]) => {
    const line = Buffer.alloc(8);
    line.writeUInt16LE(code, 0);
    line.writeUInt8(ifTrue, 2);
    line.writeUInt8(ifFalse, 3);
    line.writeUInt32LE(value, 4);
    return line;
  });
  return Buffer.concat(bytes);
}
