// Answers for people and teams that own something by which of some names they are known besides: those of teams they are in, and of people who are in them.
UNWIND $rows AS row
MATCH (owner:Entity {id: row.ownerId})
UNWIND row.names AS named
WITH row, owner, named
WHERE EXISTS { MATCH (:Team {fullyQualifiedName: named.teamFqn})-[:HAS_MEMBER]->(owner) }
  OR EXISTS { MATCH (owner)-[:HAS_MEMBER]->(:User {fullyQualifiedName: named.userFqn}) }
RETURN row.at AS at, collect(named.name) AS names
