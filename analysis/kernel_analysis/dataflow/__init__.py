"""Facts computed from the IR: pointer provenance, effects, mutation, recursion, value types. Plain data in, plain
data out.

Knows TTIR's operations, never the compiler, never LSP.
"""

from kernel_analysis.dataflow.analysis import analyze
from kernel_analysis.dataflow.join import join
from kernel_analysis.dataflow.proof import Compile, Proof, Question
from kernel_analysis.dataflow.text.traces import Trace

__all__ = ["Compile", "Proof", "Question", "Trace", "analyze", "join"]
