import ArgumentParser
import MFAServices

extension ConfirmationTime: ExpressibleByArgument {}
