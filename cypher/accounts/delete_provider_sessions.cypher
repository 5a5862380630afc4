// Ends the sessions that a provider began, by what it calls the person, their session there, or both. A session whose
// name at the provider is unknown ends with the person, who is found by the linked identity where that is unknown too.
CALL () {
  MATCH (session:Session {providerSubject: $subject})
  WHERE $sessionId IS NULL OR coalesce(session.providerSession, $sessionId) = $sessionId
  RETURN session
  UNION
  MATCH (session:Session {providerSession: $sessionId})
  WHERE $subject IS NULL
  RETURN session
  UNION
  MATCH (:LinkedIdentity {key: $identityKey})<-[:HAS_IDENTITY]-()-[:HAS_SESSION]->(session:Session)
  WHERE session.providerSubject IS NULL
  RETURN session
}
MATCH (user:User)-[:HAS_SESSION]->(session)
WHERE session.credential = $credential
WITH session, session.id AS id, user.name AS userName
DETACH DELETE session
RETURN id AS id, userName AS userName
