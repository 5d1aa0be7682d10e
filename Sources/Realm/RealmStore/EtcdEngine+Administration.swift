import FoundationEssentials
import MFAStore

extension EtcdEngine {
  /// Creates the realm, whose first epoch begins in the present incarnation of the database.
  ///
  /// - Parameter now: the time in seconds since the epoch of Unix, at which the realm's fence stands.
  /// - Returns: false if there is a realm already.
  /// - Throws: the error of the cluster.
  package func initializeRealm(now: Int64) throws(EngineError) -> Bool {
    ownMessage = ""
    let deadline = EngineDeadline.after(configuration.commitDeadline)
    // The realm does not exist, so that nothing can compare the lead meanwhile: a number that is too
    // small is enough.
    let status = try EtcdStatus(of: session, until: deadline)
    let read = try session.send(
      EtcdTransaction(success: [.get(keys.realm)]), until: deadline, repeatable: true)
    guard read.header.cluster == status.cluster else { throw .refused }
    let lead = EtcdLead(
      appliedBefore: status.applied, committedAfter: status.committed,
      revision: read.header.revision)
    let state = RealmState(
      epoch: 1, incarnation: EtcdIncarnation(cluster: status.cluster, lead: lead.least).encoded(),
      fence: now, fenceIntervals: 0, configuration: 0)
    let transaction = EtcdTransaction(
      compare: [.version(keys.realm, 0)],
      success: [
        .put(keys.realm, EtcdRealm(state).bytes, lease: 0),
        .put(keys.configuration, EtcdKeys.big(state.configuration), lease: 0),
      ])
    return try session.send(transaction, until: deadline, repeatable: false).succeeded
  }

  /// Returns what makes the cluster less safe for a realm, or unusable.
  ///
  /// The clocks of the members are not compared, because nothing that decides about a code depends on
  /// them. The command does not see whether members are on different machines, and whether disks keep
  /// what they have acknowledged.
  ///
  /// - Parameter revisions: the number of old revisions that a cluster may keep.
  /// - Returns: the findings; none if nothing is missing.
  package func checkCluster(keeping revisions: Int64 = 1_000_000) -> [EtcdFinding] {
    ownMessage = ""
    var findings: [EtcdFinding] = []
    var first: UInt64?
    for endpoint in configuration.endpoints {
      findings += memberFindings(endpoint, of: &first)
    }
    let deadline = EngineDeadline.after(configuration.commitDeadline)
    do throws(EngineError) {
      findings += try memberCount(until: deadline) + alarms(until: deadline)
      let read = try session.send(
        EtcdTransaction(success: [.get(keys.realm)]), until: deadline, repeatable: true)
      if try read.entry(0, keys.realm) == nil { findings.append(.withoutRealm) }
      let (old, _) = read.header.revision.subtractingReportingOverflow(revisions)
      if old > 1, try isReadable(old, until: deadline) {
        findings.append(.notCompacted(revisions: revisions))
      }
    } catch {
      findings.append(
        session.message.contains("user name is empty")
          || session.message.contains("permission denied")
          ? .usersEnabled : .withoutQuorum(message: lastMessage))
    }
    return findings
  }

  /// Checks one member alone.
  private func memberFindings(
    _ endpoint: String, of cluster: inout UInt64?
  ) -> [EtcdFinding] {
    guard endpoint.hasPrefix("https://") else {
      return [.withoutTLS(endpoint: endpoint)] + unreachable(endpoint, of: &cluster)
    }
    var findings = unreachable(endpoint, of: &cluster)
    guard findings.isEmpty else { return findings }
    var stranger = configuration
    (stranger.endpoints, stranger.certificate, stranger.key) = ([endpoint], nil, nil)
    var found: UInt64?
    if EtcdEngine(stranger).unreachable(endpoint, of: &found).isEmpty {
      findings.append(.clientsNotVerified(endpoint: endpoint))
    }
    return findings
  }

  private func unreachable(_ endpoint: String, of cluster: inout UInt64?) -> [EtcdFinding] {
    var single = configuration
    single.endpoints = [endpoint]
    let member = EtcdSession(single)
    do throws(EngineError) {
      let status = try EtcdStatus(
        of: member, until: EngineDeadline.after(configuration.loadDeadline))
      if let cluster, cluster != status.cluster { return [.otherCluster(endpoint: endpoint)] }
      cluster = status.cluster
      return []
    } catch {
      return [.memberUnreachable(endpoint: endpoint, message: Self.printable(member.message))]
    }
  }

  private func memberCount(
    until deadline: EngineDeadline
  ) throws(EngineError) -> [EtcdFinding] {
    let members = try EtcdMembers(of: session, until: deadline).members
    guard !members.isEmpty else { throw .refused }
    let voters = members.filter { $0.isLearner != true }
    var findings: [EtcdFinding] = voters.count < 3 ? [.fewMembers(voters.count)] : []
    let missing = voters.count - configuration.endpoints.count
    if missing > 0 { findings.append(.membersWithoutEndpoint(missing)) }
    return findings
  }

  private struct Alarms: Decodable {
    let alarms: [Alarm]?

    struct Alarm: Decodable { let alarm: String? }
  }

  private func alarms(until deadline: EngineDeadline) throws(EngineError) -> [EtcdFinding] {
    let answer: Alarms = try session.call(
      "maintenance/alarm", ["action": "GET"], until: deadline, repeatable: true)
    let kinds = answer.alarms?.map(\.alarm) ?? []
    var findings: [EtcdFinding] = []
    if kinds.contains("NOSPACE") { findings.append(.withoutSpace) }
    if kinds.contains("CORRUPT") { findings.append(.corrupt) }
    return findings
  }

  /// Whether the cluster still has the state at an old revision.
  private func isReadable(
    _ revision: Int64, until deadline: EngineDeadline
  ) throws(EngineError) -> Bool {
    let request = ["key": Data(keys.realm).base64EncodedString(), "revision": "\(revision)"]
    do throws(EngineError) {
      let _: EtcdReply.Response.Range = try session.call(
        "kv/range", request, until: deadline, repeatable: true)
      return true
    } catch .refused {
      guard session.message.contains("compacted") else { throw .refused }
      return false
    }
  }
}
