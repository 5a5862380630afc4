// Finds live users by their email addresses.
UNWIND $texts AS text
MATCH (person:User {email: toLower(text)})
WHERE NOT person.deleted
RETURN text, person.id AS id, person.name AS name
