// Replaces what a saved query says, if the caller may: those of others are for administrators.
MATCH (one:SavedQuery {name: $name})
WHERE one.createdBy = $userName OR $isAdmin
SET one += $values
RETURN one.name AS name
