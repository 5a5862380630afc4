// Lists the users in teams by name.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_MEMBER]->(person:User)
WHERE NOT person.deleted
RETURN id, person.name AS name
