"""What the text of a slice could do to memory, whatever its kernel is launched with: the second witness of a NO.

Reads syntax trees and the bindings of a slice; knows neither Triton's IR nor what the compiler did.
"""

from kernel_analysis.dataflow.text.may_summary import MaySummary
from kernel_analysis.dataflow.text.summaries import TextSummaries

__all__ = ["MaySummary", "TextSummaries"]
