// Removes a saved query, if the caller may: those of others are for administrators.
MATCH (one:SavedQuery {name: $name})
WHERE one.createdBy = $userName OR $isAdmin
WITH one, one.name AS name
DELETE one
RETURN name
