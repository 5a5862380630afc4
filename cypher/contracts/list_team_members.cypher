// Answers the people in teams by their names.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_MEMBER]->(person:User)
WHERE NOT person.deleted
RETURN id, person.name AS name
