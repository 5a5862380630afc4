// Counts the distinct people in teams and their descendant teams.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { MATCH (n)-[:PARENT_OF*0..50]->(:Team)-[:HAS_MEMBER]->(u:User WHERE NOT u.deleted) RETURN DISTINCT u } AS count
