/* The bare worker: a row of the database over FastCGI, and nothing else.
 *
 * usage: bare SOCKET WORKERS CONNINFO
 *
 * The least cost of a GET in a program of this shape: libfcgi takes the
 * request, libpq runs one prepared query by the last part of the address, and
 * the row is the answer. It authenticates nobody, checks no rule and counts no
 * memory. bench/run compares Sayso with it. Stops on SIGTERM. */
#include <fcgiapp.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *why)
{
    fprintf(stderr, "bare: %s\n", why);
    exit(1);
}

static void answer(FCGX_Request *r, PGconn *db)
{
    const char *address = FCGX_GetParam("REQUEST_URI", r->envp);
    const char *id = address ? strrchr(address, '/') : NULL;
    if (!id)
        die("a request without an address");
    id++;
    PGresult *row = PQexecPrepared(db, "get", 1, &id, NULL, NULL, 0);
    if (PQresultStatus(row) != PGRES_TUPLES_OK || PQntuples(row) != 1)
        die(PQerrorMessage(db));
    FCGX_PutS("Status: 200 OK\r\nContent-Type: application/json\r\n\r\n{",
              r->out);
    for (int i = 0; i < PQnfields(row); i++)
        FCGX_FPrintF(r->out, "%s\"%s\":\"%s\"", i ? "," : "", PQfname(row, i),
                     PQgetvalue(row, 0, i));
    FCGX_PutS("}", r->out);
    PQclear(row);
    FCGX_Finish_r(r);
}

static void serve(int fd, const char *conninfo)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    PGconn *db = PQconnectdb(conninfo);
    if (PQstatus(db) != CONNECTION_OK)
        die(PQerrorMessage(db));
    PGresult *r = PQprepare(db, "get", "SELECT * FROM intent WHERE id = $1", 1,
                            NULL);
    if (PQresultStatus(r) != PGRES_COMMAND_OK)
        die(PQerrorMessage(db));
    PQclear(r);
    FCGX_Request request;
    if (FCGX_InitRequest(&request, fd, 0) != 0)
        die("libfcgi does not start");
    while (FCGX_Accept_r(&request) == 0)
        answer(&request, db);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: bare SOCKET WORKERS CONNINFO");
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 1); /* as the server does */
    const int fd = FCGX_Init() == 0 ? FCGX_OpenSocket(argv[1], 512) : -1;
    if (fd < 0)
        die("no socket");
    for (int i = atoi(argv[2]); i > 0; i--)
        if (fork() == 0)
            serve(fd, argv[3]);
    wait(NULL); /* a worker has failed */
    return 1;
}
