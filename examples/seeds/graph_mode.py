"""An article on graph mode: branches, prints, and a model of pictures trained eagerly and in a graph.

The article has pictures of horses and humans; here generated stripes that stand and that lie stand
in for them. Its six epochs of 23 batches take minutes.
"""

import autograph.tf as tf
import numpy as np
import time

IMAGE_SIZE = 224
BATCH_SIZE = 32


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

# Prepare train dataset by using preprocessing with map_fn_eager or graph, shuffling and batching
def prepare_dataset(train_examples, validation_examples, test_examples, num_examples, map_fn, batch_size):
    train_ds = train_examples.map(map_fn).shuffle(buffer_size = num_examples).batch(batch_size)
    valid_ds = validation_examples.map(map_fn).batch(batch_size)
    test_ds = test_examples.map(map_fn).batch(batch_size)

    return train_ds, valid_ds, test_ds

def stripes(count, seed):
    """Stripes that stand (1) or lie (0), with noise, and which they are."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, count)
    waves = np.uint8(100 + 100 * np.sin(np.arange(300) / 5))
    standing = np.broadcast_to(waves[np.newaxis, :, np.newaxis], (300, 300, 3))
    pictures = np.where(labels.reshape(-1, 1, 1, 1), standing, standing.swapaxes(0, 1))
    pictures = pictures + random.integers(0, 50, pictures.shape, np.uint8)
    return tf.data.Dataset.from_tensor_slices((pictures, labels))

num_examples = 736
train_examples = stripes(num_examples, 0)
validation_examples = stripes(num_examples // 4, 1)
test_examples = stripes(num_examples // 4, 2)

tf.random.set_seed(0)
start_time = time.time()
train_ds_eager, valid_ds_eager, test_ds_eager = prepare_dataset(train_examples,
                                                                validation_examples,
                                                                test_examples,
                                                                num_examples,
                                                                map_fn_eager, BATCH_SIZE)
end_time = time.time()
print ("Eager Time spend:",  end_time - start_time)

# The same seed: the same order of pictures.
tf.random.set_seed(0)
start_time = time.time()
train_ds_graph, valid_ds_graph, test_ds_graph = prepare_dataset(train_examples,
                                                                validation_examples,
                                                                test_examples,
                                                                num_examples,
                                                                map_fn_graph, BATCH_SIZE)
end_time = time.time()
print ("GraphTime spend:",  end_time - start_time)

#MODULE_HANDLE = 'https://tfhub.dev/tensorflow/resnet_50/feature_vector/1'
#MODULE_HANDLE = 'https://tfhub.dev/google/imagenet/resnet_v2_152/classification/5'
#model = tf.keras.Sequential([
#    hub.KerasLayer(MODULE_HANDLE, input_shape=(IMAGE_SIZE, IMAGE_SIZE, 3)),
#    tf.keras.layers.Dense(num_classes, activation='softmax')
#])

# The same weights in each run.
tf.keras.utils.set_random_seed(0)
model = tf.keras.models.Sequential([
            tf.keras.layers.Conv2D(16, (4,4), activation="relu", input_shape=(IMAGE_SIZE, IMAGE_SIZE, 3)),
            tf.keras.layers.MaxPooling2D(2,2),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Conv2D(32, (4,4), activation="relu"),
            tf.keras.layers.MaxPooling2D(2,2),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Conv2D(64, (4,4), activation="relu"),
            tf.keras.layers.MaxPooling2D(2,2),
            tf.keras.layers.Dropout(0.5),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(512, activation="relu"),
            tf.keras.layers.Dense(2, activation="softmax")])
model.summary()


# Custom training step. This function is executed in each step each epoch.
def train_one_step(model, optimizer, x, y, train_loss, train_accuracy):
    with tf.GradientTape() as tape:
        # Run the model on input x to get predictions
        predictions = model(x)
        # Compute the training loss using `train_loss`, passing in the true y and the predicted y
        loss = train_loss(y, predictions)

    # Using the tape and loss, compute the gradients on model variables using tape.gradient
    grads = tape.gradient(loss, model.trainable_variables)

    # Zip the gradients and model variables, and then apply the result on the optimizer
    optimizer.apply_gradients(zip(grads, model.trainable_variables))

    # Call the train accuracy object on ground truth and predictions
    train_accuracy(y, predictions)
    return loss


def train_eager(model, optimizer, epochs, train_ds, train_loss, train_accuracy, valid_ds, val_loss, val_accuracy):
    step = 0
    loss = 0.0
    for epoch in range(epochs):
        for x, y in train_ds:
            # training step number increments at each iteration
            step += 1

            # Run one training step by passing appropriate model parameters
            # required by the function and finally get the loss to report the results
            loss = train_one_step(model, optimizer, x, y, train_loss, train_accuracy)

            # Use tf.print to report your results.
            # Print the training step number, loss and accuracy
            print('Step', step,
                   ': train loss', loss,
                   '; train accuracy', train_accuracy.result())

        for x, y in valid_ds:
            # Call the model on the batches of inputs x and get the predictions
            y_pred = model(x)
            loss = val_loss(y, y_pred)
            val_accuracy(y, y_pred)
        # Print the validation loss and accuracy

        tf.print('val loss', loss, '; val accuracy', val_accuracy.result())

@tf.function
def train_graph(model, optimizer, epochs, train_ds, train_loss, train_accuracy, valid_ds, val_loss, val_accuracy):
    step = 0
    loss = 0.0
    for epoch in range(epochs):
        for x, y in train_ds:
            # training step number increments at each iteration
            step += 1

            # Run one training step by passing appropriate model parameters
            # required by the function and finally get the loss to report the results
            loss = train_one_step(model, optimizer, x, y, train_loss, train_accuracy)

            # Use tf.print to report your results.
            # Print the training step number, loss and accuracy
            tf.print('Step', step,
                   ': train loss', loss,
                   '; train accuracy', train_accuracy.result())

        for x, y in valid_ds:
            # Call the model on the batches of inputs x and get the predictions
            y_pred = model(x)
            loss = val_loss(y, y_pred)
            val_accuracy(y, y_pred)

        # Print the validation loss and accuracy
        tf.print('val loss', loss, '; val accuracy', val_accuracy.result())


def objects():
    """What a training needs beside a model and data: the article leaves it to its notebook."""
    return (tf.keras.optimizers.SGD(),
            tf.keras.losses.SparseCategoricalCrossentropy(),
            tf.keras.metrics.SparseCategoricalAccuracy(),
            tf.keras.losses.SparseCategoricalCrossentropy(),
            tf.keras.metrics.SparseCategoricalAccuracy())

first_weights = model.get_weights()
optimizer, train_loss, train_accuracy, val_loss, val_accuracy = objects()

#Solving the model in eager mode, and printing the time elapsed.
st = time.time()
train_eager(model, optimizer, 6, train_ds_eager,
            train_loss, train_accuracy, valid_ds_eager,
            val_loss, val_accuracy)
et = time.time()
print('Eager mode spent time:', et - st)

# Both modes begin with the same weights.
eager_weights = model.get_weights()
model.set_weights(first_weights)
optimizer, train_loss, train_accuracy, val_loss, val_accuracy = objects()

#Solving the model in graph mode, and printing the time elapsed.
st = time.time()
train_graph(model, optimizer, 6, train_ds_graph,
            train_loss, train_accuracy, valid_ds_graph,
            val_loss, val_accuracy)
et = time.time()
print('Graph mode spent time:', et - st)

differences = [np.abs(a - b).max() for a, b in zip(eager_weights, model.get_weights())]
print('Weights differ by at most', max(differences))
