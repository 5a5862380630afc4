// Returns, for owning people and teams, which of the given names also denote them: for people the names of their teams,
// for teams the names of their members.
UNWIND $rows AS row
MATCH (owner:Entity {id: row.ownerId})
UNWIND row.names AS named
WITH row, owner, named
WHERE EXISTS { MATCH (:Team {fullyQualifiedName: named.teamFqn})-[:HAS_MEMBER]->(owner) }
  OR EXISTS { MATCH (owner)-[:HAS_MEMBER]->(:User {fullyQualifiedName: named.userFqn}) }
RETURN row.at AS at, collect(named.name) AS names
