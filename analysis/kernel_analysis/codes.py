"""The codes of all rules, for whoever lists them without running one. Plain data; a test compares it with the rules."""

from __future__ import annotations

SAYS: dict[str, str] = {
    "aliased-arguments": "A launch passes one tensor to be written, and to be read at other addresses.",
    "autotune-argument": "An autotuner names what is no parameter, or a launch passes what its configs set.",
    "autotune-in-place": "An autotuner tries its configs on tensors that the kernel reads and writes.",
    "compile-error": "The Triton compiler refuses this code.",
    "config-compile-error": "The compiler refuses a kernel with what an autotune config or a launch sets.",
    "decorator-order": "`@triton.jit` stands above `@triton.autotune` or `@triton.heuristics`.",
    "do-not-specialize": "`do_not_specialize` lists what is no parameter, or a constexpr.",
    "heuristics-argument": "A heuristic reads, or fills in, what is no parameter.",
    "inductor-mutated-args": "A kernel that PyTorch Inductor generated writes other parameters than its header says.",
    "inline-asm": "This inline assembly is not understood.",
    "inline-asm-impure": "This inline assembly is declared pure but writes memory.",
    "launch-arguments": "A launch passes what the kernel does not take, not what it needs, or over no usable grid.",
    "mutated-parameter": "The kernel writes through this parameter.",
    "mutates-args": "A torch op writes an argument that it does not declare, or declares what it never writes.",
    "non-constexpr-global": "The body of a jit function uses a plain Python global.",
    "not-analyzed": "Something could not be found out.",
    "pragma": "A comment that says what a kernel's parameters are says something that can't be.",
    "recursion": "A jit function calls itself at run time.",
    "run-pragma": "A comment that pins a launch of a kernel says something that can't be.",
    "syntax-error": "Python can't parse this.",
    "torch-compile": "torch.compile refuses this kernel, or this launch.",
    "torch-op": "torch refuses this op.",
    "unused-parameter": "The kernel never uses this parameter, and its values compile the kernel again.",
}
"""What each rule says, in a sentence."""
