import MFACPOSIX

/// The priority of a log line, as defined by syslog.
package enum LogPriority: Sendable {
  case alert, error, warning, notice, information, debug

  /// syslog's number for the priority.
  package var number: Int32 {
    switch self {
    case .alert: LOG_ALERT
    case .error: LOG_ERR
    case .warning: LOG_WARNING
    case .notice: LOG_NOTICE
    case .information: LOG_INFO
    case .debug: LOG_DEBUG
    }
  }
}
