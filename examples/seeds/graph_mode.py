"""The listings of an article on graph mode that need no model and no dataset."""

import numpy as np

import autograph.tf as tf

IMAGE_SIZE = 224


#Eager mode.
def func_eager(x):
    if (x >0):
        x = x + 1
    return x

#Same function in graph mode.
def func_graph(x):
    def if_true():
        return x + 1
    def if_false():
        return x
    x=tf.cond(tf.greater(x, 0), if_true, if_false)
    return x

print(func_eager(tf.constant(3)).numpy(), func_eager(tf.constant(-3)).numpy())
print(func_graph(tf.constant(3)).numpy(), tf.function(func_graph)(tf.constant(-3)).numpy())


@tf.function
def func(x):
    if x > 0:
        x = x + 1
    return x

print(func(tf.constant(3)).numpy(), func(tf.constant(-3)).numpy())
print (tf.autograph.to_code(func.python_function))

#This function will fail as it does not support declaring tf variables in the body.
@tf.function
def fails(x):
    v = tf.Variable(1.0)
    return v.assign_add(x)

try:
    fails(1.0)
    fails(2.0)
except ValueError as error:
    print(type(error).__name__)

#For it to work, we just have to remove the variable and declare it outside the function
v = tf.Variable(1.0)
@tf.function
def f(x):
    return v.assign_add(x)

f(1.0)
f(2.0)
print(v.numpy())


@tf.function
def print_test():
    tf.print("with tf.print")
    print("with print")

for i in range(5):
    print_test()


#Treat the image in eager mode.
def map_fn_eager(img, label):
    # resize the image
    img = tf.image.resize(img, size=[IMAGE_SIZE, IMAGE_SIZE])
    # normalize the image
    img /= 255.0
    return img, label

#Treat the image in graph mode.
@tf.function
def map_fn_graph(img, label):
    # resize the image
    img = tf.image.resize(img, size=[IMAGE_SIZE, IMAGE_SIZE])
    # normalize the image
    img /= 255.0
    return img, label

image = tf.constant(np.arange(300 * 300 * 3, dtype=np.uint8).reshape(300, 300, 3))
eager, label = map_fn_eager(image, tf.constant(1))
graph, label = map_fn_graph(image, tf.constant(1))
print(graph.shape, graph.dtype, label.numpy(), bool(tf.reduce_all(eager == graph)))
