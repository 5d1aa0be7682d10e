import MFATestSupport
import Testing

/// Comparison of the module with other programs that do the same.
@Suite(.serialized, .privateMachine)
enum Differential {}
