// Deletes a session of a person.
MATCH (user:User)-[:HAS_SESSION]->(session:Session {id: $id})
WHERE user.name = $name
DETACH DELETE session
RETURN $id AS id
