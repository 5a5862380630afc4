// Returns whether other members than the leader answer reads, and for how long that may be relied on.
CALL dbms.routing.getRoutingTable({}, $database) YIELD ttl, servers
WITH
  ttl,
  reduce(all = [], one IN [server IN servers WHERE server.role = 'WRITE'] | all + one.addresses) AS writers,
  reduce(all = [], one IN [server IN servers WHERE server.role = 'READ'] | all + one.addresses) AS readers
RETURN any(reader IN readers WHERE NOT reader IN writers) AS hasFollowers, ttl AS seconds
