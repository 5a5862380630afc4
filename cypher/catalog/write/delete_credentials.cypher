// Revokes all credentials of people: sessions, stored tokens, and tokens issued until then that are not stored.
UNWIND $rows AS row
MATCH (user:Entity {id: row.id})
SET user.tokensVoidBefore = row.moment
WITH user, row
CALL (user) {
  MATCH (user)-[:HAS_SESSION|HAS_TOKEN]->(part)
  DETACH DELETE part
}
RETURN row.at AS at
