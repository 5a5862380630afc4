// Ends everything that people proved who they are with before: sessions, tokens that are kept, and tokens without a
// record here that were issued until then.
UNWIND $rows AS row
MATCH (user:Entity {id: row.id})
SET user.tokensVoidBefore = row.moment
WITH user, row
CALL (user) {
  MATCH (user)-[:HAS_SESSION|HAS_TOKEN]->(part)
  DETACH DELETE part
}
RETURN row.at AS at
