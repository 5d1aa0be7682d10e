import TestSupport
import Testing

/// Tests of whole programs, as people and servers run them. They share one machine, so they run
/// one after the other.
@Suite(.serialized, .privateMachine)
enum EndToEnd {}
