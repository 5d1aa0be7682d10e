import CPOSIX

/// How much a log line matters, as syslog counts.
public enum LogPriority: Sendable {
  case error, warning, notice, information, debug

  /// syslog's number.
  public var number: Int32 {
    switch self {
    case .error: LOG_ERR
    case .warning: LOG_WARNING
    case .notice: LOG_NOTICE
    case .information: LOG_INFO
    case .debug: LOG_DEBUG
    }
  }
}
