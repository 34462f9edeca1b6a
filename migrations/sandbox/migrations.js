import journal from './meta/_journal.json';
import m0000 from './0000_start.sql';
import m0001 from './0001_resumes-on-visit.sql';
import m0002 from './0002_resetting-since.sql';
import m0003 from './0003_plain-words.sql';
import m0004 from './0004_owners.sql';
import m0005 from './0005_settings-in-force.sql';
import m0006 from './0006_kept-changes.sql';
import m0007 from './0007_main-and-spare-sandboxes.sql';
import m0008 from './0008_boot-id.sql';
import m0009 from './0009_last-looked-at.sql';
import m0010 from './0010_program-versions.sql';
import m0011 from './0011_change.sql';
import m0012 from './0012_request-ids.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002,
m0003,
m0004,
m0005,
m0006,
m0007,
m0008,
m0009,
m0010,
m0011,
m0012
    }
  }
  