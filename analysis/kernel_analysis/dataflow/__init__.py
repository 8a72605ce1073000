"""Facts computed from the IR: pointer provenance, effects, mutation, recursion, value types. Plain data in, plain
data out.

Knows TTIR's operations, never the compiler, never LSP.
"""

from kernel_analysis.dataflow.analysis import analyze
from kernel_analysis.dataflow.join import join
from kernel_analysis.dataflow.proven.proof import Compile, OpenNo, Proof, Way
from kernel_analysis.dataflow.text.paths.decision_traces import CompileTrace

__all__ = ["Compile", "CompileTrace", "OpenNo", "Proof", "Way", "analyze", "join"]
