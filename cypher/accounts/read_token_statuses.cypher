// Answers what is known of tokens: whether somebody logged them out, whose they are, and whether their sessions last.
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
