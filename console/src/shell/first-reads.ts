// What the frame of every page shows is read while the scripts of the page still start. Read one
// after the other, the answers would take as long as the scripts again.
import { queryClient } from "../api.ts";
import { listInboxFilters } from "../inbox/queries.ts";
import { projectsQuery, sessionsQuery } from "../session/queries.ts";
import { profileQuery, workspacesQuery } from "./profile.ts";

queryClient.prefetchQuery(profileQuery);
for (const filter of listInboxFilters("me")) queryClient.prefetchQuery(sessionsQuery(filter));
queryClient.prefetchQuery(workspacesQuery);
queryClient.prefetchQuery(projectsQuery);
