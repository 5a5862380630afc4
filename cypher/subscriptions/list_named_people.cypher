// Lists the people with these names, the members of these teams and, on request, all administrators, each once in the
// order of user ids. Bots, people without an address and those who have ended the mails of the subscription are left out.
CALL () {
  UNWIND $names AS name
  MATCH (person:User {fullyQualifiedName: name})
  RETURN person
  UNION
  UNWIND $teams AS name
  MATCH (team:Team {fullyQualifiedName: name} WHERE NOT team.deleted)-[:HAS_MEMBER]->(person:User)
  RETURN person
  UNION
  MATCH (person:User {isAdmin: true})
  WHERE $admins
  RETURN person
}
WITH person
WHERE NOT person.deleted AND NOT coalesce(person.isBot, false) AND person.email IS NOT NULL
  AND NOT EXISTS { (person)-[:OPTED_OUT_OF]->(:Entity {id: $subscriptionId}) }
RETURN person.id AS userId, person.name AS name, person.email AS email
ORDER BY userId
LIMIT toInteger($limit)
