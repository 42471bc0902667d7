/* Where everything that is seen of a model is: picture.c, generated from its Picture (dynamics/picture/picture.py).
 * place: arg {t, x, u, p} -> res {numbers}; x, u, p are the coordinates of the picture, which need not be the model's own states.
 * NULL: there is nothing to see. */
#ifndef SPACEFMU_PICTURE_H
#define SPACEFMU_PICTURE_H

#include "model.h"

typedef struct {
    Expression place;
    int nx, nu, np, length; /* length: of numbers */
    double *work;
} Picture;

extern const Picture picture;

#endif
