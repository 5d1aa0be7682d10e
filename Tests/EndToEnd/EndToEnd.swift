import MFATestSupport
import Testing

/// Tests of the installed programs, run as users and servers run them. The tests run one after the
/// other, because they share one machine.
@Suite(.serialized, .privateMachine)
enum EndToEnd {}
