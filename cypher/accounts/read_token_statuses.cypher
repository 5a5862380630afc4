// Returns the status of tokens: whether they were logged out, who owns them, and whether their sessions are still
// valid.
UNWIND $rows AS row
OPTIONAL MATCH (out:LoggedOut {digest: row.digest})
OPTIONAL MATCH (holder:User)-[:HAS_TOKEN]->(token:IssuedToken {digest: row.digest})
OPTIONAL MATCH (keeper:User)-[:HAS_SESSION]->(session:Session {id: row.sessionId})
RETURN
  row.at AS at,
  out IS NOT NULL AS isLoggedOut,
  holder.id AS holderId,
  token.tokenType AS tokenType,
  keeper.id AS keeperId,
  session.credential AS sessionCredential,
  keeper.password AS credential
