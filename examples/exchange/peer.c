/* The controller of peer.py in C: cc -O2 -o peer peer.c && ./peer (on a little-endian machine). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct record {
    char magic[4];
    uint32_t count;
    uint64_t step;
    double time;
    double value[1];
};

/* The ports of the plant and of this process may be given. */
int main(int argc, char **argv)
{
    struct sockaddr_in own, plant;
    struct record r;
    const int wire = socket(AF_INET, SOCK_DGRAM, 0);
    memset(&own, 0, sizeof own);
    own.sin_family = AF_INET;
    own.sin_port = htons((uint16_t)(argc > 2 ? atoi(argv[2]) : 9001));
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    plant = own;
    plant.sin_port = htons((uint16_t)(argc > 2 ? atoi(argv[1]) : 9000));
    if (wire < 0 || bind(wire, (const struct sockaddr *)&own, sizeof own) != 0) {
        perror("own port");
        return 1;
    }
    printf("listening on port %d\n", ntohs(own.sin_port));
    fflush(stdout);
    while (recv(wire, &r, sizeof r, 0) == (ssize_t)sizeof r) {
        double power = 100.0 * (60.0 - r.value[0]);
        if (memcmp(r.magic, "FRT1", 4) != 0 || r.count != 1)
            continue;
        power = power < 0.0 ? 0.0 : power > 500.0 ? 500.0 : power;
        if (r.step % 100 == 0)
            printf("%6.2f s: %.3f degC, %.1f W\n", r.time, r.value[0], power);
        r.value[0] = power;
        sendto(wire, &r, sizeof r, 0, (const struct sockaddr *)&plant, sizeof plant);
    }
    close(wire);
    return 0;
}
