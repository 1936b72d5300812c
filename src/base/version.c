/* The numbers of the build, which make writes into version.gen.h. */
#include "base/version.h"

#include "base/version.gen.h"

const char version_build[] = VERSION_BUILD;
const char version_user_agent[] = "user-agent: Sayso/" VERSION_BUILD;
const char version_site[] = VERSION_SITE;
