#if Fleet
import FoundationEssentials

/// The bytes of a field of a message.
package typealias FleetData = FoundationEssentials.Data
#endif
