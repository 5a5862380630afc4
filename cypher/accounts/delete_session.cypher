// Deletes a session of a person, or of whoever has it, and returns the person and what the session began with.
MATCH (user:User)-[:HAS_SESSION]->(session:Session {id: $id})
WHERE $name IS NULL OR user.name = $name
WITH session, user.name AS userName, session.credential AS credential
DETACH DELETE session
RETURN userName AS userName, credential AS credential
