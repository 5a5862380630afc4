// Records that have domains of their own say so. What their edges count for then stays when a domain is removed.
MATCH (n:Entity)-[:IN_DOMAIN]->(:Entity)
CALL (n) {
  SET n.determinesDomains = true
} IN TRANSACTIONS OF 10000 ROWS
